import { type FoundRemoval, judgeRemovals } from '@agp/core/audit/removals';
import {
  type Anchor,
  anchorLeaf,
  countLinks,
  type Divergence,
  emptyHead,
  judgeLink,
  type LineageHead,
  passRemoved,
  type RemovedLinks,
  type ServedLink,
} from '@agp/core/chain';

const encoder = new TextEncoder();
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** False on pages that came neither by https nor from this machine: browsers then have no WebCrypto. */
export const canHash = (): boolean => globalThis.crypto?.subtle !== undefined;

function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += hex[byte];
  return text;
}

/** SHA-256 by the browser's WebCrypto. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

/** `sha256:` and the hex SHA-256 of the UTF-8 bytes of the previous hash followed by the payload. */
export async function hashLink(previousHash: string, payload: string): Promise<string> {
  return `sha256:${toHex(await sha256(encoder.encode(previousHash + payload)))}`;
}

/** One link that was checked, as the page shows it. */
export interface CheckedLink {
  /** Its place by what is before it. */
  seq: number;
  id: string;
  previous: string;
  payload: string;
  /** The hash that was computed here. */
  computed: string;
  /** The hash that the server shows. */
  shown: string;
  /** Null if it is as it was written. */
  fault: string | null;
}

export interface ChainCheck {
  checked: number;
  /** The first link that is not as it was written. */
  divergence: Divergence | null;
  /** The end of the chain as far as it was checked. */
  head: LineageHead;
}

interface Options {
  /** Members that every payload must have with these values. */
  owner?: Record<string, unknown>;
  removed?: readonly RemovedLinks[];
  /** Called with the links as they are checked, some at a time. */
  onSteps?: (steps: readonly CheckedLink[]) => void;
  signal?: AbortSignal;
}

/** Links between two looks at the page: it stays usable while a long chain is checked. */
const stepsAtOnce = 250;

const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve));

/**
 * Recomputes every hash of a chain in this browser, from its first link on, and compares each payload with what is shown of it. The
 * server's own judgement is not asked for.
 * @throws DOMException `AbortError`
 */
export async function checkChain(links: readonly ServedLink[], options: Options = {}): Promise<ChainCheck> {
  const { owner = {}, removed = [], onSteps, signal } = options;
  let head = emptyHead;
  let steps: CheckedLink[] = [];
  let checked = 0;
  for (const link of links) {
    const { length: seq, hash: previous } = passRemoved(head, removed, link.seq);
    const computed = await hashLink(previous, link.payload);
    const divergence = judgeLink(link, { seq, computed }, owner);
    const { id, payload, lineage_hash: shown } = link;
    steps.push({ seq, id, previous, payload, computed, shown, fault: divergence?.reason ?? null });
    checked += 1;
    if (divergence !== null) {
      onSteps?.(steps);
      return { checked, divergence, head };
    }
    head = { length: seq + 1, hash: link.lineage_hash };
    if (steps.length < stepsAtOnce) continue;
    onSteps?.(steps);
    steps = [];
    await nextTask();
    signal?.throwIfAborted();
  }
  onSteps?.(steps);
  return { checked, divergence: null, head: passRemoved(head, removed) };
}

function join(prefix: number, ...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(1 + parts.reduce((sum, { length }) => sum + length, 0));
  bytes[0] = prefix;
  let at = 1;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * The root of a Merkle tree as in RFC 6962 (section 2.1) over leaves in their order: `sha256:` and hex. As in `@agp/core`, but by the
 * browser's WebCrypto.
 */
export async function merkleRoot(leaves: readonly string[]): Promise<string> {
  const full: { height: number; hash: Uint8Array<ArrayBuffer> }[] = [];
  for (const leaf of leaves) {
    let height = 0;
    let hash = await sha256(join(0, encoder.encode(leaf)));
    for (let left = full.at(-1); left?.height === height; left = full.at(-1)) {
      full.pop();
      hash = await sha256(join(1, left.hash, hash));
      height += 1;
    }
    full.push({ height, hash });
  }
  let root = full.pop()?.hash;
  for (let left = full.pop(); left !== undefined && root !== undefined; left = full.pop())
    root = await sha256(join(1, left.hash, root));
  return `sha256:${toHex(root ?? (await sha256(new Uint8Array())))}`;
}

type PlacedAnchor = Anchor & { removal: string | null };

/**
 * Compares what retention removed, as the audit log tells it, with the anchors that it left.
 * @param payloads of the audit log's chain, which was checked before
 * @returns the first difference, in a sentence; null without any
 */
export async function checkRemovals(
  payloads: readonly string[],
  anchors: readonly PlacedAnchor[],
): Promise<string | null> {
  const found = new Map<string | null, FoundRemoval>();
  for (const [removal, own] of Map.groupBy(anchors, (anchor) => anchor.removal)) {
    found.set(removal, {
      events: own.reduce((sum, anchor) => sum + countLinks(anchor), 0),
      anchors: own.length,
      root: await merkleRoot(own.map(anchorLeaf)),
    });
  }
  const entries = payloads.map((payload) => JSON.parse(payload) as Record<string, unknown>);
  return judgeRemovals(entries, found, await merkleRoot([]));
}

const most = { first: 100, last: 20 };

/** The first steps of a check and its last ones, with the fault: a chain may have a hundred thousand. */
export function keepSteps(kept: readonly CheckedLink[], more: readonly CheckedLink[]): readonly CheckedLink[] {
  const all = [...kept, ...more];
  return all.length <= most.first + most.last ? all : [...all.slice(0, most.first), ...all.slice(-most.last)];
}
