import {
  leastRetentionDays,
  longestRemovalMs,
  makePartitions,
  removeOldEvents,
  removeOldRefusals,
  rollUpRefusals,
} from '@agp/db';
import { loadConfig } from '@agp/runtime';
import { z } from 'zod';
import { withDatabase } from '../connect.ts';
import { exitCodes, print, runCommand } from '../run-command.ts';

const defaultRetentionDays = 184;
const defaultRefusalDays = 7;
const wrongDays = `must be a whole number of days, at least ${leastRetentionDays}, or 0`;

const schema = z.object({
  // A pattern first: a number made of a blank, of "-0" or of "" would be 0, which keeps everything for ever.
  retentionDays: z
    .string()
    .regex(/^\d{1,5}$/, wrongDays)
    .transform(Number)
    .refine((days) => days === 0 || days >= leastRetentionDays, wrongDays)
    .default(defaultRetentionDays),
  refusalDays: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'must be a whole number of days, 1 to 999')
    .transform(Number)
    .default(defaultRefusalDays),
});

await runCommand({
  help: `Makes the weekly partitions of the coming weeks, and removes those whose events are all older than RETENTION_DAYS, and single refused requests older than REFUSAL_DAYS. Run it once a day; safe to run again.

usage: npm run maintain

Reads DATABASE_URL, RETENTION_DAYS (${defaultRetentionDays}; 0 keeps everything), REFUSAL_DAYS (${defaultRefusalDays}). ${exitCodes}`,
  run() {
    const { retentionDays, refusalDays } = loadConfig(schema, process.env);
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
