import type { LineageEntry } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { type EventRow, eventColumns } from '../events/event-columns.ts';

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
function* readPages(order: Buffer): Generator<string[]> {
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
  for (const ids of readPages(order)) {
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
  for (const ids of readPages(order)) {
    yield await db
      .selectFrom('events')
      .select([...eventColumns, 'seq', 'payload'])
      .where('id', 'in', ids)
      .orderBy('seq')
      .execute();
  }
}
