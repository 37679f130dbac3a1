import { listNewerMigrations, migrate } from '@agp/db';
import { runDatabaseCommand } from '../database/run-database-command.ts';

process.exitCode = await runDatabaseCommand({
  name: 'migrate',
  purpose: "Brings the database's schema up to date and makes the partitions of the coming weeks. Safe to run again.",
  statementTimeoutMs: 600_000,
  async work(db) {
    const applied = await migrate(db, new Date());
    const newer = await listNewerMigrations(db);
    if (newer.length > 0) return `schema is of a later version and left as it is: it has ${newer.join(', ')}`;
    return applied.length === 0 ? 'schema is up to date' : `applied ${applied.join(', ')}`;
  },
});
