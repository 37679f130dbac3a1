import { ApiError } from '@agp/core/errors';
import { Bag } from '@agp/runtime';
import { FairShares, type Full, type Holder } from '@agp/runtime/fairness';

export function refuseShare(full: Full, ofAgent: string): ApiError {
  return full === 'agent' ? new ApiError('share_used_up', ofAgent) : new ApiError('proxy_overloaded');
}

const shareUsedUp = 'request bodies of this agent fill its share of memory';

/** The memory that a body takes, from its first byte until its event is made. */
export interface BodyShare {
  /** @throws ApiError `share_used_up`, `proxy_overloaded`; what was taken before is still held */
  grow(bytes: number): void;
  /** All of the body has come: it is no longer given up for others. */
  complete(): void;
  release(): void;
}

interface Open {
  holder: Holder;
  bytes: number;
  refuse: (error: ApiError) => void;
  /** Nothing before it is among the unfinished. */
  complete: () => void;
}

interface BodyMemoryOptions {
  maxBufferedBytes: number;
  maxRequestBytes: number;
}

const bytesOfEach = 16 * 1024;

/** A bound for few large bodies must let one of them in, and the copy of it that asks for usage. */
const fewBodies = 4;

/**
 * The memory for bodies, shared by agents. When it is full, the unfinished body of the agent that holds the most is refused, rather than
 * one that needs little.
 */
export class BodyMemory {
  readonly #shares: FairShares;
  readonly #unfinished = new Bag<Open>();

  constructor({ maxBufferedBytes: max, maxRequestBytes }: BodyMemoryOptions) {
    const always = max < fewBodies * maxRequestBytes ? Math.min(max, 2 * (maxRequestBytes + bytesOfEach)) : 0;
    this.#shares = new FairShares({ max, always });
  }

  /** The memory of all bodies, in bytes. */
  get bytes(): number {
    return this.#shares.total;
  }

  /**
   * @param expected the length that the agent declares, refused at once if its share is too small
   * @param refuse called when the body is given up for others, and its share released
   * @throws ApiError `share_used_up`, `proxy_overloaded`
   */
  open(holder: Holder, expected: number, refuse: (error: ApiError) => void): BodyShare {
    if (this.#shares.findFull(holder, bytesOfEach + expected) === 'agent') throw refuseShare('agent', shareUsedUp);
    const open: Open = { holder, bytes: 0, refuse, complete: () => {} };
    this.#grow(open, bytesOfEach);
    open.complete = this.#unfinished.add(open);
    return {
      grow: (bytes) => this.#grow(open, bytes),
      complete: open.complete,
      release: () => this.#release(open),
    };
  }

  #grow(open: Open, bytes: number): void {
    for (;;) {
      const full = this.#shares.take(open.holder, bytes);
      if (full === null) break;
      const larger = full === 'agent' ? null : this.#findLargest(full, open, bytes);
      if (larger === null) throw refuseShare(full, shareUsedUp);
      this.#release(larger);
      larger.refuse(new ApiError('proxy_overloaded'));
    }
    open.bytes += bytes;
  }

  #findLargest(full: Full, { holder }: Open, bytes: number): Open | null {
    let largest: Open | null = null;
    let most = this.#shares.heldBy(holder.agentId) + bytes;
    for (const open of this.#unfinished) {
      if (full === 'source' && open.holder.source !== holder.source) continue;
      const held = this.#shares.heldBy(open.holder.agentId);
      if (held < most || (held === most && (largest === null || open.bytes <= largest.bytes))) continue;
      most = held;
      largest = open;
    }
    return largest;
  }

  #release(open: Open): void {
    open.complete();
    this.#shares.giveBack(open.holder, open.bytes);
    open.bytes = 0;
  }
}
