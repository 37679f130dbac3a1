import type { LineageEntry } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';

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

function readUuids(bytes: Buffer): string[] {
  // Postgres also accepts UUIDs without dashes.
  return bytes.toString('hex').match(/.{32}/g) ?? [];
}

/**
 * The links of one chain, with the UUIDs of their events, in pages: a long chain does not fit in memory.
 *
 * @param order as {@link readLineageOrder} gave it
 */
export async function* listLineageEntries(db: Db, order: Buffer): AsyncGenerator<LineageEntry[]> {
  const pageBytes = pageSize * uuidBytes;
  for (let start = 0; start < order.length; start += pageBytes) {
    yield await db
      .selectFrom('events')
      .select(['seq', 'id as event_id', 'lineage_hash', 'payload'])
      .where('id', 'in', readUuids(order.subarray(start, start + pageBytes)))
      .orderBy('seq')
      .execute();
  }
}
