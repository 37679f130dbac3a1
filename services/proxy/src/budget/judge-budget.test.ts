import { expect, test } from 'vitest';
import { rateLimited } from './budget-refusals.ts';
import { findRefusing, judgeBudget, judgeCaps } from './judge-budget.ts';

const cap = (capNanoUsd: number | null, warnOnly = false) => ({ capNanoUsd, warnOnly });

test('spend, earlier reservations and the request itself may reach the cap and not pass it', () => {
  expect(judgeBudget(cap(10), { spent: 3, earlier: 4, mine: 3 })).toBe('fits');
  expect(judgeBudget(cap(10), { spent: 3, earlier: 5, mine: 3 })).toBe('held');
  expect(judgeBudget(cap(10), { spent: 3, earlier: 0, mine: 8 })).toBe('spent');
  expect(judgeBudget(cap(10), { spent: 8, earlier: 100, mine: 3 })).toBe('spent');
});

test('a cap that is reached, or is 0, refuses even free requests; without a cap none is refused', () => {
  expect(judgeBudget(cap(10), { spent: 10, earlier: 0, mine: 0 })).toBe('spent');
  expect(judgeBudget(cap(0), { spent: 0, earlier: 0, mine: 0 })).toBe('spent');
  expect(judgeBudget(cap(10), { spent: 9, earlier: 1, mine: 0 })).toBe('fits');
  expect(judgeBudget(cap(null), { spent: 1e15, earlier: 1e15, mine: 1e15 })).toBe('fits');
});

test('of two caps the one that refuses for the day counts before the one that asks to wait, and one that warns never refuses', () => {
  const spend = { agentNanoUsd: 5, globalNanoUsd: 50 };
  const earlier = { agent: 4, global: 40 };
  const judge = (agentCap: ReturnType<typeof cap>, globalCap: ReturnType<typeof cap>) =>
    findRefusing(judgeCaps({ agentCap, globalCap, nanoUsd: 2 }, spend, earlier));
  expect(judge(cap(11), cap(92))).toBeUndefined();
  expect(judge(cap(10), cap(51))).toMatchObject({ scope: 'global', verdict: 'spent' });
  expect(judge(cap(10), cap(91))).toMatchObject({ scope: 'agent', verdict: 'held' });
  expect(judge(cap(11), cap(91))).toMatchObject({ scope: 'global', verdict: 'held' });
  expect(judge(cap(5, true), cap(91))).toMatchObject({ scope: 'global', verdict: 'held' });
  expect(judge(cap(5, true), cap(5, true))).toBeUndefined();
});

test('a rate limit is answered with the headers that clients look for', () => {
  expect(rateLimited(25, 7)).toMatchObject({
    status: 429,
    headers: { 'Retry-After': '7', 'RateLimit-Limit': '25', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '7' },
  });
});
