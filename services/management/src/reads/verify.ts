import type { AuditVerdict, LineageVerdict } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { parseJson } from '@agp/core/json';
import { emptyHead, hashLink, type LineageHead, passRemoved, type RemovedLinks } from '@agp/core/lineage';
import {
  type AuditChainRow,
  type Db,
  type LinkedEventRow,
  listLineageAnchors,
  listLinkedEvents,
  readAuditChain,
  readAuditHead,
  readLineageHead,
  readLineageOrder,
} from '@agp/db';
import { listAltered } from '../presenters.ts';

/** Recomputes every hash of the audit log, and compares each payload with its row. */
export async function verifyAudit(db: Db): Promise<AuditVerdict> {
  const head = await readAuditHead(db);
  let previous = emptyHead.hash;
  let seq = 0;
  let firstDivergence: number | null = null;
  for await (const rows of readAuditChain(db, head.length)) {
    const wrong = rows.findIndex((row, index) => {
      const before = previous;
      previous = row.lineage_hash;
      return row.lineage_hash !== hashLink(before, row.payload) || !isEntryInPlace(row, seq + index);
    });
    if (wrong >= 0) {
      firstDivergence = seq + wrong;
      break;
    }
    seq += rows.length;
  }
  // The chain was cut if it is shorter than its head says, or ends with another hash.
  if (firstDivergence === null && (seq !== head.length || previous !== head.hash)) firstDivergence = seq;
  return { valid: firstDivergence === null, length: head.length, head: head.hash, first_divergence: firstDivergence };
}

function isEntryInPlace(row: AuditChainRow, seq: number): boolean {
  const payload = readPayload(row.payload);
  return (
    row.seq === seq &&
    payload?.seq === seq &&
    payload.id === toPublicId('aud', row.id) &&
    payload.timestamp === row.timestamp.toISOString() &&
    payload.action === row.action &&
    payload.agent_id === (row.agent_id && toPublicId('agt', row.agent_id))
  );
}

function readPayload(text: string): Record<string, unknown> | null {
  try {
    return parseJson(text) as Record<string, unknown> | null;
  } catch {
    return null;
  }
}

/**
 * Recomputes every hash of a session's chain, and compares each payload with what the API shows. The expected length and last hash come
 * from the head, which the writer stores apart, so that a cut is noticed. Null for an unknown session.
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
  // Events recorded meanwhile only make the chain longer than the head says.
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
      if (!isRight || !isEventInPlace(row, sessionId, reached.length)) firstDivergence ??= reached.length;
      reach({ length: reached.length + 1, hash: row.lineage_hash });
    }
    if (firstDivergence !== null) break;
  }
  reach(passRemoved(reached, removed));
  if (!headIsThere) firstDivergence ??= Math.min(reached.length, length);
  const valid = firstDivergence === null;
  return { session_id: sessionId, valid, length, head: hash, first_divergence: firstDivergence };
}

function isEventInPlace(row: LinkedEventRow, sessionId: string, seq: number): boolean {
  try {
    const payload = parseJson(row.payload) as Record<string, unknown>;
    return row.session_id === sessionId && row.seq === seq && listAltered(row, payload).length === 0;
  } catch {
    return false;
  }
}
