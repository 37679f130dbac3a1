import { longestRemovalMs, makePartitions, removeOldEvents, removeOldRefusals, rollUpRefusals } from '@agp/db';
import { loadConfig } from '@agp/runtime';
import { withDatabase } from '../connect.ts';
import { defaultRefusalDays, defaultRetentionDays, maintainConfigSchema } from '../maintain-config.ts';
import { exitCodes, print, runCommand } from '../run-command.ts';

await runCommand({
  help: `Makes the weekly partitions of the coming weeks, and removes those whose events are all older than RETENTION_DAYS, and single refused requests older than REFUSAL_DAYS. Run it once a day; safe to run again.

usage: npm run maintain

Reads DATABASE_URL, RETENTION_DAYS (${defaultRetentionDays}; 0 keeps everything), REFUSAL_DAYS (${defaultRefusalDays}). ${exitCodes}`,
  run() {
    const { retentionDays, refusalDays } = loadConfig(maintainConfigSchema, process.env);
    const times = { statementTimeoutMs: 600_000, longestStatementMs: longestRemovalMs };
    return withDatabase('maintain', times, async (db) => {
      const now = new Date();
      const made = await makePartitions(db, now);
      await rollUpRefusals(db, now);
      const removed = retentionDays === 0 ? [] : await removeOldEvents(db, now, retentionDays);
      const refusals = await removeOldRefusals(db, now, refusalDays);
      if (refusals > 0) removed.push(`removed ${refusals} refused requests`);
      const first = made.length === 0 ? 'all partitions of the coming weeks exist' : `made ${made.join(', ')}`;
      print([first, ...removed].join('\n'));
    });
  },
});
