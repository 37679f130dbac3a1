import type { AuditVerdict } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { parseJson } from '@agp/core/json';
import { emptyHead, hashLink } from '@agp/core/lineage';
import { type AuditChainRow, type Db, readAuditChain, readAuditHead } from '@agp/db';

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
      return row.lineage_hash !== hashLink(before, row.payload) || !isInPlace(row, seq + index);
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

function isInPlace(row: AuditChainRow, seq: number): boolean {
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
