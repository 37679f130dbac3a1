import { sql } from 'kysely';
import type { Db } from '../../database.ts';

/** The state of storage that writers report as metrics. */
export interface RecordingHealth {
  /** Messages that were set aside and not replayed. */
  quarantine_waiting: number;
  /** The end of the last partition of events; null without any. */
  partitions_end: Date | null;
  /** Events without a partition of their own, counted up to 10,000. */
  default_partition_events: number;
  /** The oldest minute whose refusals are not in the audit log's chain yet; null when all are. */
  oldest_unsealed_refusals: Date | null;
}

export async function readRecordingHealth(db: Db): Promise<RecordingHealth> {
  const { rows } = await sql<RecordingHealth>`
    SELECT quarantine_waiting, partitions_end, default_partition_events, oldest_unsealed_refusals
    FROM reporting.recording_health`.execute(db);
  return rows[0] as RecordingHealth;
}
