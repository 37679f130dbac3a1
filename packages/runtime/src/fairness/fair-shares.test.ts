import { expect, test } from 'vitest';
import { FairShares, type Holder } from './fair-shares.ts';

const proven = (agentId: string): Holder => ({ agentId, source: null });
const named = (agentId: string, source = '10.0.0.1'): Holder => ({ agentId, source });

/** Takes one by one until it is refused. @returns the share that was used up */
function fill(shares: FairShares, holder: Holder, amount = 1) {
  for (;;) {
    const full = shares.take(holder, amount);
    if (full !== null) return full;
  }
}

test('an agent gets a quarter, and others still have room', () => {
  const shares = new FairShares({ max: 1_000 });
  expect(fill(shares, proven('greedy'))).toBe('agent');
  expect(shares.heldBy('greedy')).toBe(250);
  expect(shares.take(proven('modest'), 20)).toBeNull();
});

test('a dozen greedy agents leave something for one that wants little', () => {
  const shares = new FairShares({ max: 1_000_000 });
  for (let index = 0; index < 12; index += 1) fill(shares, proven(`greedy-${index}`), 10);
  expect(shares.take(proven('modest'), 100)).toBeNull();
});

test('a client with a thousand names gets no more, and other networks and tokens do not suffer', () => {
  const shares = new FairShares({ max: 1_000 });
  for (let index = 0; index < 1_000; index += 1) fill(shares, named(`name-${index}`));
  expect(shares.total).toBeLessThanOrEqual(500);
  expect(shares.take(named('elsewhere', '10.0.0.2'), 100)).toBeNull();
  expect(shares.take(proven('with-token'), 100)).toBeNull();
});

test('returned amounts are free again, and holders of nothing are forgotten', () => {
  const shares = new FairShares({ max: 40 });
  expect(shares.take(named('a'), 10)).toBeNull();
  expect(shares.take(named('a'), 1)).toBe('agent');
  shares.giveBack(named('a'), 10);
  expect(shares.take(named('a'), 10)).toBeNull();
  shares.giveBack(named('a'), 10);
  expect([shares.total, shares.heldBy('a')]).toEqual([0, 0]);
});

test('if the whole is small, one agent still gets enough for one request', () => {
  const shares = new FairShares({ max: 64, always: 48 });
  expect(shares.take(named('a'), 48)).toBeNull();
  expect(shares.take(named('b', '10.0.0.2'), 20)).toBe('all');
});
