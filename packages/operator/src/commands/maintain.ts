import { leastRetentionDays, longestRemovalMs, makePartitions, removeOldEvents } from '@agp/db';
import { readVariable, VariableError } from '../database/read-variable.ts';
import { runDatabaseCommand } from '../database/run-database-command.ts';

const defaultRetentionDays = 184;

/** @returns 0 where nothing is ever removed */
function readRetentionDays(): number {
  const text = readVariable('RETENTION_DAYS') ?? String(defaultRetentionDays);
  const days = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (days !== 0 && !(days >= leastRetentionDays))
    throw new VariableError(`RETENTION_DAYS: must be a whole number of days, at least ${leastRetentionDays}, or 0`);
  return days;
}

process.exitCode = await runDatabaseCommand({
  name: 'maintain',
  purpose:
    'Makes the weekly partitions of the coming weeks, and removes those whose events are all older than RETENTION_DAYS. Run it once a day; safe to run again.',
  reads: `RETENTION_DAYS (${defaultRetentionDays}; 0 keeps everything)`,
  statementTimeoutMs: 600_000,
  longestStatementMs: longestRemovalMs,
  prepare: async () => void readRetentionDays(),
  async work(db) {
    const now = new Date();
    const made = await makePartitions(db, now);
    const days = readRetentionDays();
    const removed = days === 0 ? [] : await removeOldEvents(db, now, days);
    const told = [
      made.length === 0 ? 'all partitions of the coming weeks exist' : `made ${made.join(', ')}`,
      ...removed,
    ];
    return told.join('\n');
  },
});
