import { expect, test } from 'vitest';
import { FairShares } from './fair-shares.ts';
import type { Holder } from './holder.ts';

const proven = (agentId: string): Holder => ({ agentId, source: null });
const named = (agentId: string, source = '10.0.0.1'): Holder => ({ agentId, source });

/** Takes one by one until it is refused. @returns what was full */
function fill(shares: FairShares, holder: Holder, amount = 1) {
  for (;;) {
    const full = shares.take(holder, amount);
    if (full !== null) return full;
  }
}

test('an agent has a quarter, and there is room for others', () => {
  const shares = new FairShares({ max: 1_000 });
  expect(fill(shares, proven('greedy'))).toBe('agent');
  expect(shares.heldBy('greedy')).toBe(250);
  expect(shares.take(proven('modest'), 20)).toBeNull();
});

test('a dozen agents that take all they can leave some for one that wants little', () => {
  const shares = new FairShares({ max: 1_000_000 });
  for (let index = 0; index < 12; index += 1) fill(shares, proven(`greedy-${index}`), 10);
  expect(shares.take(proven('modest'), 100)).toBeNull();
});

test('one client has no more for having a thousand names, and neither another network nor a token suffers', () => {
  const shares = new FairShares({ max: 1_000 });
  for (let index = 0; index < 1_000; index += 1) fill(shares, named(`name-${index}`));
  expect(shares.total).toBeLessThanOrEqual(500);
  expect(shares.take(named('elsewhere', '10.0.0.2'), 100)).toBeNull();
  expect(shares.take(proven('with-token'), 100)).toBeNull();
});

test('what is given back is there again, and nobody who holds nothing is remembered', () => {
  const shares = new FairShares({ max: 100, maxPerAgent: 10 });
  expect(shares.take(named('a'), 10)).toBeNull();
  expect(shares.take(named('a'), 1)).toBe('agent');
  shares.giveBack(named('a'), 10);
  expect(shares.take(named('a'), 10)).toBeNull();
  shares.giveBack(named('a'), 10);
  expect([shares.total, shares.heldBy('a')]).toEqual([0, 0]);
});

test('where little is there at all, one agent may still have what one request needs', () => {
  const shares = new FairShares({ max: 64, always: 48 });
  expect(shares.take(named('a'), 48)).toBeNull();
  expect(shares.take(named('b', '10.0.0.2'), 20)).toBe('all');
});
