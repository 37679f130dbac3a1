import { toDailyCap } from '@agp/budgets';
import { expect, test } from 'vitest';
import { rateLimited } from './budget-refusals.ts';
import { findRefusing, judge } from './judge-budget.ts';

const none = toDailyCap('global', null);

/** By the cap of an agent alone. */
const judgeBy = (cap: number | null, of: { spent: number; earlier: number; mine: number }) => {
  const [unfit] = judge(
    [toDailyCap('agent', cap), none],
    [],
    { nanoUsd: of.mine, tokens: 0 },
    [of.spent],
    [of.earlier],
  );
  return unfit?.verdict ?? 'fits';
};

test('spend, earlier reservations and the request itself may reach the cap and not pass it', () => {
  expect(judgeBy(10, { spent: 3, earlier: 4, mine: 3 })).toBe('fits');
  expect(judgeBy(10, { spent: 3, earlier: 5, mine: 3 })).toBe('held');
  expect(judgeBy(10, { spent: 3, earlier: 0, mine: 8 })).toBe('spent');
  expect(judgeBy(10, { spent: 8, earlier: 100, mine: 3 })).toBe('spent');
});

test('a cap that is reached, or is 0, refuses even free requests; without a cap none is refused', () => {
  expect(judgeBy(10, { spent: 10, earlier: 0, mine: 0 })).toBe('spent');
  expect(judgeBy(0, { spent: 0, earlier: 0, mine: 0 })).toBe('spent');
  expect(judgeBy(10, { spent: 9, earlier: 1, mine: 0 })).toBe('fits');
  expect(judgeBy(null, { spent: 1e15, earlier: 1e15, mine: 1e15 })).toBe('fits');
});

test('of two caps the one that refuses for the day counts before the one that asks to wait, and one that warns never refuses', () => {
  const judgeBoth = (ofAgent: number, ofAll: number, warns: { agent?: true; all?: true } = {}) => {
    const caps = [toDailyCap('agent', ofAgent, warns.agent), toDailyCap('global', ofAll, warns.all)] as const;
    return findRefusing(judge(caps, [], { nanoUsd: 2, tokens: 0 }, [5, 50], [4, 40]));
  };
  expect(judgeBoth(11, 92)).toBeUndefined();
  expect(judgeBoth(10, 51)).toMatchObject({ of: { kind: 'global' }, verdict: 'spent' });
  expect(judgeBoth(10, 91)).toMatchObject({ of: { kind: 'agent' }, verdict: 'held' });
  expect(judgeBoth(11, 91)).toMatchObject({ of: { kind: 'global' }, verdict: 'held' });
  expect(judgeBoth(5, 91, { agent: true })).toMatchObject({ of: { kind: 'global' }, verdict: 'held' });
  expect(judgeBoth(5, 5, { agent: true, all: true })).toBeUndefined();
});

test('a rate limit is answered with the headers that clients look for', () => {
  expect(rateLimited(25, 7)).toMatchObject({
    status: 429,
    headers: { 'Retry-After': '7', 'RateLimit-Limit': '25', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '7' },
  });
});
