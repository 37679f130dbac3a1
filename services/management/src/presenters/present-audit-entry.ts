import type { AuditLink, ListedAuditEntry } from '@agp/core/contracts';
import { parseJson } from '@agp/core/json';
import type { AuditChainRow, AuditRow } from '@agp/db';
import { presentRow } from './present-row.ts';

/** An entry as its hash covers it, or refused requests that no hash covers yet. */
export function presentAuditEntry(row: AuditRow): ListedAuditEntry {
  if (!row.sealed) return { ...row.entry, id: null, seq: null, lineage_hash: null, reason: null } as ListedAuditEntry;
  const { v: _, ...members } = parseJson(row.payload) as ListedAuditEntry & { v: number };
  return { ...members, reason: members.reason ?? null, lineage_hash: row.lineageHash };
}

/** A link of the chain with the text that its hash covers. */
export function presentAuditLink({ seq, id, lineage_hash, payload }: AuditChainRow): AuditLink {
  return presentRow({ seq, id, lineage_hash, payload }, 'aud');
}
