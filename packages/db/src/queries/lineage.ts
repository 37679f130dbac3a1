import type { LineageEntry } from '@agp/core/contracts';
import type { Anchor, LineageHead, RemovedLinks } from '@agp/core/lineage';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { type ChainedColumn, chainedColumns, type EventDetailRow, type EventRow, eventColumns } from './events.ts';
import { readPages } from './pages.ts';

interface AnchorRow extends Anchor {
  removal: string;
}

/** The removal of anchors that were made before removals had ids. */
export const noRemoval = '00000000-0000-0000-0000-000000000000';

export function listAnchors(db: Db): AsyncGenerator<AnchorRow[]> {
  return readPages<AnchorRow>({ offset: 0 }, ({ after, limit }) => {
    let query = db
      .selectFrom('lineage_anchors')
      .select(['removal', 'session_id', 'first_seq', 'last_seq', 'lineage_hash']);
    if (after !== undefined) {
      const { removal, session_id, first_seq } = after;
      query = query.where(
        sql<boolean>`(removal, session_id, first_seq) > (${removal}::uuid, ${session_id}, ${first_seq})`,
      );
    }
    return query.orderBy('removal').orderBy('session_id').orderBy('first_seq').limit(limit).execute();
  });
}

/** Since when events are kept: until then retention removed them for their age; null if it never did. */
export async function readKeptSince(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ until: Date | null }>`
    SELECT max(payload::json #>> '{before,to}')::timestamptz AS until FROM (
      SELECT payload FROM audit_log WHERE action = 'events.retention' AND payload::json ->> 'target' LIKE 'events_%'
      ORDER BY seq DESC LIMIT 20
    ) AS latest`.execute(db);
  return rows[0]?.until ?? null;
}

/** In the chain's order. Few: in nearly all sessions at most one for each week. */
export function listLineageAnchors(db: Db, sessionId: string): Promise<(RemovedLinks & { removal: string })[]> {
  return db
    .selectFrom('lineage_anchors')
    .select(['removal', 'first_seq', 'last_seq', 'lineage_hash'])
    .where('session_id', '=', sessionId)
    .orderBy('first_seq')
    .execute();
}

const pageSize = 500;
const uuidBytes = 16;

/** Read once, 16 bytes each in one buffer: there is no index on `seq`, and a chain may have millions. */
export async function readLineageOrder(db: Db, sessionId: string): Promise<Buffer> {
  const { rows } = await sql<{ ids: Buffer | null }>`
    SELECT string_agg(uuid_send(id), ''::bytea ORDER BY seq) AS ids FROM events WHERE session_id = ${sessionId}`.execute(
    db,
  );
  return rows[0]?.ids ?? Buffer.alloc(0);
}

function* idPages(order: Buffer): Generator<string[]> {
  const pageBytes = pageSize * uuidBytes;
  for (let start = 0; start < order.length; start += pageBytes) {
    const page = order.subarray(start, start + pageBytes).toString('hex');
    // Postgres also accepts UUIDs without dashes.
    yield page.match(/.{32}/g) ?? [];
  }
}

/** In pages, by the order of {@link readLineageOrder}. */
export async function* listLineageEntries(db: Db, order: Buffer): AsyncGenerator<LineageEntry[]> {
  for (const ids of idPages(order)) {
    yield await db
      .selectFrom('events')
      .select(['seq', 'id as event_id', 'lineage_hash', 'payload'])
      .where('id', 'in', ids)
      .orderBy('seq')
      .execute();
  }
}

/** With the columns that lists and filters show and the payload has too. */
export type LinkedEventRow = EventRow & Pick<LineageEntry, 'seq' | 'payload'> & Pick<EventDetailRow, ChainedColumn>;

/** In pages, by the order of {@link readLineageOrder}. */
export async function* listLinkedEvents(db: Db, order: Buffer): AsyncGenerator<LinkedEventRow[]> {
  for (const ids of idPages(order)) {
    yield await db
      .selectFrom('events')
      .select([...eventColumns, ...chainedColumns, 'seq', 'payload'])
      .where('id', 'in', ids)
      .orderBy('seq')
      .execute();
  }
}

/** Stored apart from the events; undefined for an unknown session. */
export function readLineageHead(db: Db, sessionId: string): Promise<LineageHead | undefined> {
  return db
    .selectFrom('lineage_heads')
    .select(['length', 'hash'])
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
}
