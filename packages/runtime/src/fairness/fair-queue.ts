import type { Holder } from './fair-shares.ts';

interface Branch<Item> {
  spentMs: number;
  /** What each of its branches would have had by now with equal shares, in milliseconds. */
  fairMs: number;
  branches: Map<string, Branch<Item>>;
  /** In the order in which they came; only in the leaves of the tree. */
  items: Set<Item>;
  waiting: number;
}

const makeBranch = <Item>(): Branch<Item> => ({
  spentMs: 0,
  fairMs: 0,
  branches: new Map(),
  items: new Set(),
  waiting: 0,
});

const toPath = ({ agentId, source }: Holder): string[] => [source ?? agentId, agentId];

/**
 * A queue whose next item is one of the agent that has had the least time so far: first among networks and agents with a token, then among
 * the agents of one network. The time of an item is charged once it is known; among equals the item that is expected to be shorter goes
 * first.
 */
export class FairQueue<Item> {
  readonly #expectMs: (item: Item) => number;
  readonly #root = makeBranch<Item>();

  constructor(expectMs: (item: Item) => number) {
    this.#expectMs = expectMs;
  }

  get size(): number {
    return this.#root.waiting;
  }

  push(holder: Holder, item: Item): void {
    let branch = this.#root;
    branch.waiting += 1;
    for (const key of toPath(holder)) {
      const next = branch.branches.get(key) ?? makeBranch<Item>();
      branch.branches.set(key, next);
      // Idle time is not saved up.
      if (next.waiting === 0) next.spentMs = Math.max(next.spentMs, branch.fairMs);
      next.waiting += 1;
      branch = next;
    }
    branch.items.add(item);
  }

  /** The item whose turn it is; it stays in the queue until it is deleted. @param mayGo false lets its holder wait */
  peek(mayGo: (item: Item) => boolean = () => true): Item | null {
    return this.#peek(this.#root, mayGo);
  }

  list(): Item[] {
    const collect = (branch: Branch<Item>): Item[] => [
      ...branch.items,
      ...[...branch.branches.values()].flatMap((next) => collect(next)),
    ];
    return collect(this.#root);
  }

  delete(holder: Holder, item: Item): void {
    const path = this.#follow(holder);
    if (!path.at(-1)?.items.delete(item)) return;
    for (const branch of path) branch.waiting -= 1;
  }

  charge(holder: Holder, ms: number): void {
    const path = this.#follow(holder);
    for (const [level, branch] of path.entries()) {
      if (level > 0) branch.spentMs += ms;
      const next = path[level + 1];
      if (next === undefined) continue;
      const others = [...branch.branches.values()].filter((other) => other !== next && other.waiting > 0);
      branch.fairMs += ms / (1 + others.length);
    }
    for (const branch of path) forgetIdle(branch);
  }

  #peek(branch: Branch<Item>, mayGo: (item: Item) => boolean): Item | null {
    const [first] = branch.items;
    if (first !== undefined) return mayGo(first) ? first : null;
    let best: Item | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const next of branch.branches.values()) {
      const item = next.waiting === 0 ? null : this.#peek(next, mayGo);
      if (item === null) continue;
      const until = next.spentMs + this.#expectMs(item);
      if (until >= least) continue;
      least = until;
      best = item;
    }
    return best;
  }

  #follow(holder: Holder): Branch<Item>[] {
    const path = [this.#root];
    for (const key of toPath(holder)) {
      const next = path.at(-1)?.branches.get(key);
      if (next === undefined) return path;
      path.push(next);
    }
    return path;
  }
}

/** Removes idle branches that have had no more time than others; all of them if nobody waits. */
function forgetIdle<Item>(branch: Branch<Item>): void {
  for (const [key, next] of branch.branches) {
    if (next.waiting === 0 && (branch.waiting === 0 || next.spentMs <= branch.fairMs)) branch.branches.delete(key);
  }
}
