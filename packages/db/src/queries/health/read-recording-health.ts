import { sql } from 'kysely';
import type { Db } from '../../database.ts';

/** What a writer tells of storage beside the events that it records. */
export interface RecordingHealth {
  /** Messages that were set aside and not replayed. */
  quarantine_waiting: number;
  /** The end of the last partition of events; null without any. */
  partitions_end: Date | null;
  /** Events without a partition of their own, counted up to 10,000. */
  default_partition_events: number;
  /** The oldest minute whose refused requests are not in the audit log's chain; null when all are. */
  oldest_unsealed_refusals: Date | null;
}

/** Reads it from the view that dashboards read. */
export async function readRecordingHealth(db: Db): Promise<RecordingHealth> {
  const { rows } = await sql<RecordingHealth>`
    SELECT quarantine_waiting, partitions_end, default_partition_events, oldest_unsealed_refusals
    FROM reporting.recording_health`.execute(db);
  return rows[0] as RecordingHealth;
}
