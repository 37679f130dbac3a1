import type { LineageEntry } from '@agp/core/contracts';
import type { Anchor, LineageHead, RemovedLinks } from '@agp/core/lineage';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { type EventRow, eventColumns } from './events.ts';
import { readPages } from './pages.ts';

/** An anchor, and the removal that made it. */
interface AnchorRow extends Anchor {
  /** UUID */
  removal: string;
}

/** The removal of anchors that were made before removals had ids. */
export const noRemoval = '00000000-0000-0000-0000-000000000000';

/** All anchors in pages, by removal, and within one in the order that its Merkle root covers. */
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

/** The runs of links that retention removed from a session's chain, in its order. Few: in nearly all sessions at most one for each week. */
export function listLineageAnchors(db: Db, sessionId: string): Promise<RemovedLinks[]> {
  return db
    .selectFrom('lineage_anchors')
    .select(['first_seq', 'last_seq', 'lineage_hash'])
    .where('session_id', '=', sessionId)
    .orderBy('first_seq')
    .execute();
}

const pageSize = 500;
const uuidBytes = 16;

/**
 * The UUIDs of a session's events in chain order, read once: there is no index on `seq`.
 *
 * @returns 16 bytes for each event in one buffer, since a chain may have millions; empty for an unknown session
 */
export async function readLineageOrder(db: Db, sessionId: string): Promise<Buffer> {
  const { rows } = await sql<{ ids: Buffer | null }>`
    SELECT string_agg(uuid_send(id), ''::bytea ORDER BY seq) AS ids FROM events WHERE session_id = ${sessionId}`.execute(
    db,
  );
  return rows[0]?.ids ?? Buffer.alloc(0);
}

/** The UUIDs in pages: a long chain does not fit in memory. */
function* idPages(order: Buffer): Generator<string[]> {
  const pageBytes = pageSize * uuidBytes;
  for (let start = 0; start < order.length; start += pageBytes) {
    const page = order.subarray(start, start + pageBytes).toString('hex');
    // Postgres also accepts UUIDs without dashes.
    yield page.match(/.{32}/g) ?? [];
  }
}

/**
 * The links of one chain, with the UUIDs of their events, in pages.
 *
 * @param order as {@link readLineageOrder} gave it
 */
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

/** An event as it is shown, and its link. */
export type LinkedEventRow = EventRow & Pick<LineageEntry, 'seq' | 'payload'>;

/** The events of one chain with their links, in pages. @param order as {@link readLineageOrder} gave it */
export async function* listLinkedEvents(db: Db, order: Buffer): AsyncGenerator<LinkedEventRow[]> {
  for (const ids of idPages(order)) {
    yield await db
      .selectFrom('events')
      .select([...eventColumns, 'seq', 'payload'])
      .where('id', 'in', ids)
      .orderBy('seq')
      .execute();
  }
}

/** Length and last hash of a session's chain, which the writer stores apart from the events; undefined for an unknown session. */
export function readLineageHead(db: Db, sessionId: string): Promise<LineageHead | undefined> {
  return db
    .selectFrom('lineage_heads')
    .select(['length', 'hash'])
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
}
