import type { LineageVerdict } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { emptyHead, hashLink } from '@agp/core/lineage';
import { type Db, type LineageRow, listLineageEntries, readLineageHead, readLineageOrder } from '@agp/db';

/**
 * Computes every hash of a session's chain anew, and compares what stands beside each payload with what is in it. Its
 * length and its end are those that the writer keeps apart, so that a chain which was cut is seen.
 *
 * @returns null where there is no such session
 */
export async function verifyLineage(db: Db, sessionId: string): Promise<LineageVerdict | null> {
  // The head first: events that are recorded meanwhile make the chain longer than it says, and no worse.
  const head = await readLineageHead(db, sessionId);
  const order = await readLineageOrder(db, sessionId);
  if (order.length === 0 && head === undefined) return null;
  const { length, hash } = head ?? emptyHead;
  let previous = emptyHead.hash;
  let seq = 0;
  let headIsThere = length === 0;
  let firstDivergence: number | null = null;
  for await (const rows of listLineageEntries(db, order)) {
    for (const row of rows) {
      const isRight = row.lineage_hash === hashLink(previous, row.payload) && isInPlace(row, sessionId, seq);
      if (!isRight) firstDivergence ??= seq;
      previous = row.lineage_hash;
      seq += 1;
      headIsThere ||= seq === length && previous === hash;
    }
    if (firstDivergence !== null) break;
  }
  if (!headIsThere) firstDivergence ??= Math.min(seq, length);
  const valid = firstDivergence === null;
  return { session_id: sessionId, valid, length, head: hash, first_divergence: firstDivergence };
}

function isInPlace(row: LineageRow, sessionId: string, seq: number): boolean {
  try {
    const payload = JSON.parse(row.payload) as Record<string, unknown> | null;
    const isOwn = payload?.id === toPublicId('evt', row.id) && payload.session_id === sessionId;
    return isOwn && row.seq === seq && payload.seq === seq;
  } catch {
    return false;
  }
}
