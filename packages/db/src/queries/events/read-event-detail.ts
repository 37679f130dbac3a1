import type { EventDetail } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { type EventRow, eventColumns } from './event-columns.ts';

const detailColumns = [
  ...(['seq', 'recorded_at', 'payload', 'outcome', 'http_status', 'provider_request_id', 'pii_scan'] as const),
  ...(['request_id', 'failure', 'pii_findings'] as const),
];

/** Columns beside the payload. Those of events that a 0.2.0 writer recorded are null, also where the payload has a value. */
export type EventDetailRow = EventRow & {
  agent_name: string | null;
  seq: number;
  recorded_at: Date;
  payload: string;
  /** `genesis` for the first; null where it is not near. */
  previous_hash: string | null;
} & Pick<
    EventDetail,
    'outcome' | 'http_status' | 'provider_request_id' | 'pii_scan' | 'request_id' | 'failure' | 'pii_findings'
  >;

/** Events of the session before and after one, among which the one before it in the chain is looked for: no index has `seq`. */
const near = 2_000;

/** One event by its UUID, with all that is stored of it. */
export async function readEventDetail(db: Db, id: string): Promise<EventDetailRow | undefined> {
  const row = await db
    .selectFrom('events')
    .leftJoin('agents', 'agents.id', 'events.agent_id')
    .select([...eventColumns, ...detailColumns].map((name) => `events.${name}` as const))
    .select('agents.name as agent_name')
    .where('events.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { ...row, previous_hash: await readPreviousHash(db, row) } as EventDetailRow;
}

async function readPreviousHash(
  db: Db,
  { id, session_id, seq }: { id: string; session_id: string; seq: number },
): Promise<string | null> {
  if (seq === 0) return 'genesis';
  const { rows } = await sql<{ lineage_hash: string }>`
    SELECT lineage_hash FROM lineage_anchors WHERE session_id = ${session_id} AND last_seq = ${seq - 1}
    UNION ALL
    SELECT lineage_hash FROM (
      (SELECT seq, lineage_hash FROM events WHERE session_id = ${session_id} AND id < ${id} ORDER BY id DESC LIMIT ${near})
      UNION ALL
      (SELECT seq, lineage_hash FROM events WHERE session_id = ${session_id} AND id > ${id} ORDER BY id LIMIT ${near})
    ) AS nearby WHERE seq = ${seq - 1}
    LIMIT 1`.execute(db);
  return rows[0]?.lineage_hash ?? null;
}
