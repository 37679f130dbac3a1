import canonicalize from 'canonicalize';
import type { LineageHead } from '../lineage/chain.ts';
import { type Anchor, anchorLeaf, countLinks, MerkleTree } from '../lineage/index.ts';
import { hashLink } from '../lineage/link.ts';
import type { AuditAction } from './audit-action.ts';
import { judgeRemovals } from './judge-removals.ts';

/**
 * The actor: a caller of the management API, the proxy that refused, or a service on its own. A person is one whom an OpenID provider
 * knows, by the id that it gives them.
 */
export type AuditActor =
  | { kind: 'api_key' | 'person'; id: string; name: string }
  | { kind: 'proxy' }
  | { kind: 'system' };

/** A changed thing as an entry shows it. Never with a secret, a token or a digest of one. */
export type AuditState = Readonly<Record<string, unknown>>;

/** One entry of the audit log, before it has its place in the chain. All ids are public ones. */
export interface AuditEntry {
  /** `aud_...` */
  id: string;
  /** When it happened; for refused requests the start of their minute. UTC, ISO 8601 with milliseconds and `Z`. */
  timestamp: string;
  actor: AuditActor;
  /** Address of the call, or of the latest refused request; null where there was none. */
  source_ip: string | null;
  action: AuditAction;
  /** The agent that the entry is about, if any. */
  agent_id: string | null;
  /** Id or name of what was changed; null where the action says it all. */
  target: string | null;
  /** Null where there was nothing before, or nothing is left after. */
  before: AuditState | null;
  after: AuditState | null;
  /** How many requests were refused; 1 for a change. */
  count: number;
  /** Why the caller made the change; null or absent where none was given. */
  reason?: string | null;
}

/**
 * The exact text that an entry's hash covers: RFC 8785 canonical JSON of the entry with its place and the version.
 * Members are never added to version 1; an entry with a reason is of version 2, which has that member besides.
 *
 * @throws Error for values that canonical JSON cannot express: a lone surrogate, an infinite number
 */
function buildAuditPayload(entry: AuditEntry, seq: number): string {
  return canonicalize({
    v: entry.reason ? 2 : 1,
    seq,
    id: entry.id,
    timestamp: entry.timestamp,
    actor: entry.actor,
    source_ip: entry.source_ip,
    action: entry.action,
    agent_id: entry.agent_id,
    target: entry.target,
    before: entry.before,
    after: entry.after,
    count: entry.count,
    ...(entry.reason && { reason: entry.reason }),
  }) as string;
}

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

/** An anchor as the API lists it, with the public id of its removal; null for anchors from before removals had ids. */
export type PlacedAnchor = Anchor & { removal: string | null };

/**
 * Compares the anchors that retention kept with the audit log's entry of each removal: how many events it took, and the Merkle root
 * over its anchors. The tables' owner can delete events, heads and anchors and invent others, but not such that they match a root
 * in the log's chain.
 *
 * @param entries payloads of the audit log's chain, which was checked before
 * @param anchors all of them, in the API's order
 * @returns the first difference, in a sentence; null without any
 */
export function findRemovalFault(
  entries: Iterable<Readonly<Record<string, unknown>>>,
  anchors: Iterable<PlacedAnchor>,
): string | null {
  const gathered = new Map<string | null, { events: number; anchors: number; tree: MerkleTree }>();
  for (const { removal, ...anchor } of anchors) {
    const kept = gathered.get(removal) ?? { events: 0, anchors: 0, tree: new MerkleTree() };
    gathered.set(removal, kept);
    kept.events += countLinks(anchor);
    kept.anchors += 1;
    kept.tree.add(anchorLeaf(anchor));
  }
  const found = new Map(
    [...gathered].map(([removal, { tree, ...counts }]) => [removal, { ...counts, root: tree.root() }] as const),
  );
  return judgeRemovals(entries, found, new MerkleTree().root());
}
