import { leastRetentionDays, longestRemovalMs, makePartitions, removeOldEvents } from '@agp/db';
import { loadConfig } from '@agp/runtime';
import { z } from 'zod';
import { withDatabase } from '../connect.ts';
import { exitCodes, print, runCommand } from '../run-command.ts';

const defaultRetentionDays = 184;
const wrongDays = `must be a whole number of days, at least ${leastRetentionDays}, or 0`;

const schema = z.object({
  // A pattern first: a number made of a blank, of "-0" or of "" would be 0, which keeps everything for ever.
  retentionDays: z
    .string()
    .regex(/^\d{1,5}$/, wrongDays)
    .transform(Number)
    .refine((days) => days === 0 || days >= leastRetentionDays, wrongDays)
    .default(defaultRetentionDays),
});

await runCommand({
  help: `Makes the weekly partitions of the coming weeks, and removes those whose events are all older than RETENTION_DAYS. Run it once a day; safe to run again.

usage: npm run maintain

Reads DATABASE_URL, RETENTION_DAYS (${defaultRetentionDays}; 0 keeps everything). ${exitCodes}`,
  run() {
    const { retentionDays } = loadConfig(schema, process.env);
    const times = { statementTimeoutMs: 600_000, longestStatementMs: longestRemovalMs };
    return withDatabase('maintain', times, async (db) => {
      const now = new Date();
      const made = await makePartitions(db, now);
      const removed = retentionDays === 0 ? [] : await removeOldEvents(db, now, retentionDays);
      const first = made.length === 0 ? 'all partitions of the coming weeks exist' : `made ${made.join(', ')}`;
      print([first, ...removed].join('\n'));
    });
  },
});
