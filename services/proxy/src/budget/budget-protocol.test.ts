import { toDailyCap } from '@agp/budgets';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judge } from './judge-budget.ts';

/*
 * A model of concurrent requests under one cap: each step is atomic in Redis or Postgres, and steps of different requests
 * interleave in any order. A proxy may die between any two steps; its leases then end, and requests that it had forwarded count as
 * spent, at their reservation.
 */

type State =
  | 'new'
  | 'placed'
  | 'doubtful'
  | 'listed'
  | 'waiting'
  | 'peeking'
  | 'admitted'
  | 'recorded'
  | 'refused'
  | 'crashed'
  | 'forgotten'
  | 'gone';

interface Held {
  seq: number;
  amount: number;
}

interface Request extends Held {
  id: number;
  /** At most what was reserved. */
  cost: number;
  state: State;
  earlier: number;
  listed: Map<number, Held>;
}

class Protocol {
  readonly cap: number;
  readonly requests: Request[];
  readonly held = new Map<number, Held>();
  readonly recorded = new Set<number>();
  spent = 0;
  crashes = 0;
  #seq = 0;

  constructor(cap: number, shapes: readonly { amount: number; share: number }[]) {
    this.cap = cap;
    this.requests = shapes.map(({ amount, share }, id) => {
      const cost = Math.round((amount * share) / 10);
      return { id, amount, cost, state: 'new', seq: 0, earlier: 0, listed: new Map() };
    });
  }

  /** @param givesUp whether a request that waits has waited long enough */
  step(request: Request, givesUp: boolean): void {
    const { id, amount } = request;
    if (request.state === 'new') {
      request.earlier = sum(this.held.values());
      request.seq = ++this.#seq;
      this.held.set(id, { seq: request.seq, amount });
      request.state = 'placed';
    } else if (request.state === 'placed') {
      this.#decide(request, request.earlier, 'doubtful', givesUp);
    } else if (request.state === 'doubtful' || request.state === 'waiting') {
      const before = request.state === 'doubtful' ? request.seq : Number.POSITIVE_INFINITY;
      request.listed = new Map([...this.held].filter(([other, { seq }]) => other !== id && seq < before));
      request.state = request.state === 'doubtful' ? 'listed' : 'peeking';
    } else if (request.state === 'listed' || request.state === 'peeking') {
      const pending = [...request.listed].filter(([other]) => !this.recorded.has(other)).map(([, held]) => held);
      this.#decide(request, sum(pending), 'waiting', givesUp);
    } else if (request.state === 'admitted') {
      // The writer's commit; what it releases after that may come much later.
      this.spent += request.cost;
      this.recorded.add(id);
      request.state = 'recorded';
    } else if (request.state === 'forgotten') {
      // The writer notes it, and releases it later.
      this.spent += amount;
      this.recorded.add(id);
      request.state = 'recorded';
    } else if (request.state === 'recorded' || request.state === 'crashed') {
      this.held.delete(id);
      request.state = 'gone';
    }
  }

  #decide(request: Request, earlier: number, ifHeld: 'doubtful' | 'waiting', givesUp: boolean): void {
    const { id, state, amount: mine } = request;
    const caps = [toDailyCap('agent', this.cap), toDailyCap('global', null)] as const;
    const [unfit] = judge(caps, [], { nanoUsd: mine, tokens: 0 }, [this.spent], [earlier]);
    const verdict = unfit?.verdict ?? 'fits';
    if (verdict === 'fits') {
      request.state = state === 'peeking' ? 'new' : 'admitted';
      return;
    }
    if (verdict === 'held' && ifHeld === 'doubtful') {
      request.state = 'doubtful';
      return;
    }
    this.held.delete(id);
    request.state = verdict === 'held' && !(state === 'peeking' && givesUp) ? 'waiting' : 'refused';
    if (request.state === 'refused') this.#expectJustified(request, verdict);
  }

  /** The amounts that refused it were spent, or were reserved when it looked and are not recorded yet. */
  #expectJustified({ amount, listed }: Request, verdict: 'held' | 'spent'): void {
    const really = this.requests.filter(({ id }) => listed.has(id) && !this.recorded.has(id));
    const pending = verdict === 'held' ? sum(really) : 0;
    expect(this.spent + pending + amount > this.cap || this.spent >= this.cap).toBe(true);
  }

  crash(request: Request): void {
    if (['placed', 'doubtful', 'listed', 'waiting', 'peeking', 'admitted'].includes(request.state)) {
      request.state = request.state === 'admitted' ? 'forgotten' : 'crashed';
      this.crashes += 1;
    }
  }

  expectNoOverspend(): void {
    const running = this.requests.filter(({ state }) => state === 'admitted' || state === 'forgotten');
    expect(this.spent + sum(running)).toBeLessThanOrEqual(this.cap);
  }
}

const sum = (held: Iterable<{ amount: number }>) => [...held].reduce((total, { amount }) => total + amount, 0);

const shapes = fc.array(fc.record({ amount: fc.integer({ min: 0, max: 6 }), share: fc.integer({ min: 0, max: 10 }) }), {
  minLength: 2,
  maxLength: 8,
});
const move = fc.record({ who: fc.nat(7), crashes: fc.integer({ min: 0, max: 19 }), givesUp: fc.boolean() });

test('in any order of steps, with proxies dying between them, requests never exceed the cap, and none is refused without a reason', () => {
  let outcomes = { admitted: 0, refused: 0, crashed: 0 };
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      shapes,
      fc.array(move, { minLength: 20, maxLength: 200 }),
      (cap, made, moves) => {
        const protocol = new Protocol(cap, made);
        const { requests } = protocol;
        for (const { who, crashes, givesUp } of moves) {
          const request = requests[who % requests.length] as Request;
          if (crashes === 0) protocol.crash(request);
          else protocol.step(request, givesUp);
          protocol.expectNoOverspend();
        }
        outcomes = {
          admitted: outcomes.admitted + protocol.recorded.size,
          refused: outcomes.refused + requests.filter(({ state }) => state === 'refused').length,
          crashed: outcomes.crashed + protocol.crashes,
        };
        // Once all have ended nothing is held, and the next that fits into what is left is admitted.
        for (let turn = 0; turn < 50; turn += 1) for (const request of requests) protocol.step(request, true);
        expect(protocol.held.size).toBe(0);
        const last: Request = { id: -1, amount: 0, cost: 0, state: 'new', seq: 0, earlier: 0, listed: new Map() };
        last.amount = cap - protocol.spent;
        protocol.step(last, true);
        protocol.step(last, true);
        expect(last.state).toBe(last.amount > 0 ? 'admitted' : 'refused');
      },
    ),
    { numRuns: 400 },
  );
  // The moves reach all ends, or they would prove little.
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(100);
});
