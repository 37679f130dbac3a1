export interface Holder {
  agentId: string;
  /** The network of an agent that has only declared its name; null with a token. */
  source: string | null;
}

export type Full = 'agent' | 'source' | 'all';

interface FairSharesOptions {
  max: number;
  /** One agent may hold this much however much others hold, as long as it is free. */
  always?: number;
}

/** One agent holds at most a quarter, agents of one network without a token half, and nobody more than is left free. */
export class FairShares {
  readonly #max: number;
  readonly #maxPerSource: number;
  readonly #maxPerAgent: number;
  readonly #always: number;
  readonly #byAgent = new Map<string, number>();
  readonly #bySource = new Map<string, number>();
  #total = 0;

  constructor({ max, always = 0 }: FairSharesOptions) {
    this.#max = max;
    this.#maxPerAgent = Math.max(max / 4, always);
    this.#maxPerSource = Math.max(max / 2, always);
    this.#always = always;
  }

  get total(): number {
    return this.#total;
  }

  heldBy(agentId: string): number {
    return this.#byAgent.get(agentId) ?? 0;
  }

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

/** So many holders stay in a map when they hold nothing: V8 builds a new table each time that one is emptied. */
const keptEmpty = 1_000;

function add(held: Map<string, number>, key: string, amount: number): void {
  const now = (held.get(key) ?? 0) + amount;
  if (now === 0 && held.size > keptEmpty) held.delete(key);
  else held.set(key, now);
}
