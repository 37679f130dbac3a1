import { findOtherField } from '@agp/core/chain';
import type { LineageVerdict } from '@agp/core/contracts';
import { parseJson } from '@agp/core/json';
import { emptyHead, hashLink, type LineageHead, passRemoved, type RemovedLinks } from '@agp/core/lineage';
import {
  type Db,
  type LinkedEventRow,
  listLineageAnchors,
  listLinkedEvents,
  readLineageHead,
  readLineageOrder,
} from '@agp/db';
import { presentEvent } from '../presenters/present-event.ts';

/**
 * Recomputes every hash of a session's chain, and compares each payload with what the API shows of its event. The expected length and last hash come from the
 * head, which the writer stores apart, so that a cut is noticed. Events that retention removed are skipped.
 *
 * @returns null for an unknown session
 */
export async function verifyLineage(db: Db, sessionId: string): Promise<LineageVerdict | null> {
  for (let removed = await listLineageAnchors(db, sessionId); ; ) {
    const verdict = await verifyOnce(db, sessionId, removed);
    if (verdict === null || verdict.valid) return verdict;
    // Links may have been removed since we began.
    const now = await listLineageAnchors(db, sessionId);
    if (now.length === removed.length) return verdict;
    removed = now;
  }
}

async function verifyOnce(db: Db, sessionId: string, removed: readonly RemovedLinks[]): Promise<LineageVerdict | null> {
  // The head first: events recorded meanwhile only make the chain longer than the head says.
  const head = await readLineageHead(db, sessionId);
  const order = await readLineageOrder(db, sessionId);
  if (head === undefined && order.length === 0) return null;
  // The first events came between the two.
  if (head === undefined && (await readLineageHead(db, sessionId))) return verifyOnce(db, sessionId, removed);
  const { length, hash } = head ?? emptyHead;
  let reached = emptyHead;
  let headIsThere = length === 0;
  const reach = (next: LineageHead) => {
    reached = next;
    headIsThere ||= next.length === length && next.hash === hash;
  };
  // Events without a head: it was deleted, and nothing says any more where the chain ended.
  let firstDivergence = head === undefined ? 0 : null;
  for await (const rows of listLinkedEvents(db, order)) {
    for (const row of rows) {
      reach(passRemoved(reached, removed, row.seq));
      const isRight = row.lineage_hash === hashLink(reached.hash, row.payload);
      if (!isRight || !isInPlace(row, sessionId, reached.length)) firstDivergence ??= reached.length;
      reach({ length: reached.length + 1, hash: row.lineage_hash });
    }
    if (firstDivergence !== null) break;
  }
  reach(passRemoved(reached, removed));
  if (!headIsThere) firstDivergence ??= Math.min(reached.length, length);
  const valid = firstDivergence === null;
  return { session_id: sessionId, valid, length, head: hash, first_divergence: firstDivergence };
}

function isInPlace(row: LinkedEventRow, sessionId: string, seq: number): boolean {
  try {
    const payload = parseJson(row.payload) as Record<string, unknown>;
    const isShown = findOtherField(presentEvent(row), payload) === undefined && row.session_id === sessionId;
    return isShown && row.seq === seq && payload.seq === seq;
  } catch {
    return false;
  }
}
