import {
  type Divergence,
  emptyHead,
  judgeLink,
  type LineageHead,
  passRemoved,
  type RemovedLinks,
  type ServedLink,
} from '@agp/core/chain';
import { hashLink } from './hash-text.ts';

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
  /** Null where it is as it was written. */
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
 *
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
