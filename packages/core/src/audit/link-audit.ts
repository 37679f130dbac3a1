import type { LineageHead } from '../lineage/head.ts';
import { hashLink } from '../lineage/link.ts';
import type { AuditEntry } from './audit-entry.ts';
import { buildAuditPayload } from './build-audit-payload.ts';

/** An entry that has its place in the log's chain. */
export interface LinkedAuditEntry {
  entry: AuditEntry;
  seq: number;
  payload: string;
  lineageHash: string;
}

/** Gives entries the next places in the log's chain, which is made as a session's is. */
export function linkAudit(head: LineageHead, entries: readonly AuditEntry[]): LinkedAuditEntry[] {
  let previous = head.hash;
  return entries.map((entry, index) => {
    const seq = head.length + index;
    const payload = buildAuditPayload(entry, seq);
    previous = hashLink(previous, payload);
    return { entry, seq, payload, lineageHash: previous };
  });
}
