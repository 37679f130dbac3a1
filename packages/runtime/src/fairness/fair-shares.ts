import type { Holder } from './holder.ts';

/** What has no room for more: what the agent may have, what its network may have, or all that there is. */
export type Full = 'agent' | 'source' | 'all';

export interface FairSharesOptions {
  /** All that there is. */
  max: number;
  /** What one agent may hold; a quarter of it all if not given. */
  maxPerAgent?: number | undefined;
  /** What one agent may hold however much is held by others, as long as it is there. */
  always?: number;
}

/**
 * Something there is only so much of, in use by agents, none of which shall have it alone:
 *
 * - an agent has at most its share, a quarter;
 * - agents without a token that come from one network have at most half together;
 * - and whoever holds some leaves as much free as that: each further holder gets less, but there is always some left
 *   for one that wants little.
 */
export class FairShares {
  readonly #max: number;
  readonly #maxPerSource: number;
  readonly #maxPerAgent: number;
  readonly #always: number;
  readonly #byAgent = new Map<string, number>();
  readonly #bySource = new Map<string, number>();
  #total = 0;

  constructor({ max, maxPerAgent = max / 4, always = 0 }: FairSharesOptions) {
    this.#max = max;
    this.#maxPerAgent = Math.max(maxPerAgent, always);
    this.#maxPerSource = Math.max(max / 2, always);
    this.#always = always;
  }

  /** All that is held. */
  get total(): number {
    return this.#total;
  }

  heldBy(agentId: string): number {
    return this.#byAgent.get(agentId) ?? 0;
  }

  /** @returns what is full; null where there is room for this much more */
  findFull({ agentId, source }: Holder, amount: number): Full | null {
    const total = this.#total + amount;
    const ofAgent = this.heldBy(agentId) + amount;
    if (ofAgent > this.#maxPerAgent) return 'agent';
    const free = this.#max - total;
    if (free < 0) return 'all';
    if (source === null) return ofAgent > Math.max(free, this.#always) ? 'all' : null;
    const ofSource = (this.#bySource.get(source) ?? 0) + amount;
    const freeOfSource = this.#maxPerSource - ofSource;
    if (freeOfSource < 0 || ofAgent > Math.max(freeOfSource, this.#always)) return 'source';
    return ofSource > Math.max(free, this.#always) ? 'all' : null;
  }

  /** Takes it where there is room. @returns what is full; null where it was taken */
  take(holder: Holder, amount: number): Full | null {
    const full = this.findFull(holder, amount);
    if (full === null) this.#count(holder, amount);
    return full;
  }

  giveBack(holder: Holder, amount: number): void {
    this.#count(holder, -amount);
  }

  #count({ agentId, source }: Holder, amount: number): void {
    this.#total += amount;
    add(this.#byAgent, agentId, amount);
    if (source !== null) add(this.#bySource, source, amount);
  }
}

/** Who holds nothing is forgotten. */
function add(held: Map<string, number>, key: string, amount: number): void {
  const now = (held.get(key) ?? 0) + amount;
  if (now === 0) held.delete(key);
  else held.set(key, now);
}
