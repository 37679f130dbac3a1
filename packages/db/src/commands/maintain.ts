import { makePartitions } from '../queries/make-partitions.ts';
import { runDatabaseCommand } from './run-database-command.ts';

process.exitCode = await runDatabaseCommand({
  name: 'maintain',
  purpose: 'Makes the weekly partitions of the coming weeks. Run it at least once a week; safe to run again.',
  statementTimeoutMs: 30_000,
  async work(db) {
    const made = await makePartitions(db, new Date());
    return made.length === 0 ? 'all partitions of the coming weeks exist' : `made ${made.join(', ')}`;
  },
});
