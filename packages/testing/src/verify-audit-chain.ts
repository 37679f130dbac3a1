/** A second implementation of the audit log's chain, written from docs/lineage.md; it shares no code with packages/core. */
import { hash } from 'node:crypto';
import { canonical } from './verify-chain.ts';

interface AuditChainEntry {
  seq: number;
  id: string;
  lineage_hash: string;
  payload: string;
}

const members = {
  1: 'action actor after agent_id before count id seq source_ip target timestamp v',
  2: 'action actor after agent_id before count id reason seq source_ip target timestamp v',
};

/** @returns the seq of the first entry that is not what it should be, or null when the chain is whole */
export function findAuditDivergence(entries: readonly AuditChainEntry[]): number | null {
  let previous = 'genesis';
  for (const [seq, entry] of entries.entries()) {
    const payload = JSON.parse(entry.payload);
    const digest = hash('sha256', Buffer.from(previous + entry.payload, 'utf8'), 'hex');
    const isWhole =
      `sha256:${digest}` === entry.lineage_hash &&
      canonical(payload) === entry.payload &&
      Object.keys(payload).join(' ') === members[payload.v as 1 | 2] &&
      payload.seq === seq &&
      entry.seq === seq &&
      payload.id === entry.id;
    if (!isWhole) return seq;
    previous = entry.lineage_hash;
  }
  return null;
}
