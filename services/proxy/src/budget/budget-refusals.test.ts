import { toDailyCap } from '@agp/budgets';
import { errorTable } from '@agp/core/errors';
import { nanoToText } from '@agp/core/money';
import { expect, test, vi } from 'vitest';
import { refuseBudget } from './budget-refusals.ts';
import { judge } from './judge-budget.ts';

const day = '2026-02-28';
const noon = Date.parse(`${day}T12:00:00.000Z`);

interface Case {
  agentCap?: number | null;
  globalCap?: number | null;
  /** Of the agent; of all it is tenfold. */
  spent: number;
  held?: number;
  mine: number;
}

const judgeCase = ({ agentCap = null, globalCap = null, spent, held = 0, mine }: Case) => {
  const caps = [toDailyCap('agent', agentCap), toDailyCap('global', globalCap)] as const;
  return judge(caps, [], { nanoUsd: mine, tokens: 0 }, [spent, 10 * spent], [held, held]);
};

/** @param least what it would cost with the lowest bound */
const refuse = (given: Case, least: number | null = null) =>
  refuseBudget(judgeCase(given), day, noon, () => (least === null ? null : { bound: 'max_tokens', nanoUsd: least }));

const cent = 10_000_000;

test('a spent cap of the agent says its figures exactly, in text and headers, and the way out where there is one', () => {
  const given = { agentCap: cent, spent: 1_900_000, mine: 8_200_000 };
  const message = 'daily budget exceeded: cap 0.01 USD, spent 0.0019, this request may cost 0.0082';
  expect(refuse(given)).toMatchObject({
    code: 'agent_budget_exceeded',
    status: 429,
    message,
    headers: {
      'X-Error-Code': 'agent_budget_exceeded',
      'Retry-After': '43200',
      'X-Budget-Cap-Usd': '0.01',
      'X-Budget-Spent-Usd': '0.0019',
      'X-Budget-Request-Usd': '0.0082',
    },
  });
  expect(refuse(given, 8_100_000).message).toBe(`${message}; a lower max_tokens may fit`);
  expect(refuse(given, 8_100_001).message).toBe(message);
});

test('a cap that is reached says nothing of the request, since no cost of it would pass', () => {
  const findCheaper = vi.fn(() => ({ bound: 'max_tokens', nanoUsd: 0 }));
  const refusal = refuseBudget(judgeCase({ agentCap: cent, spent: cent, mine: 1 }), day, noon, findCheaper);
  expect(refusal.message).toBe('daily budget exceeded: cap 0.01 USD, spent 0.01');
  expect(refusal.headers['X-Budget-Request-Usd']).toBeUndefined();
  expect(findCheaper).not.toHaveBeenCalled();
  const early = refuseBudget(judgeCase({ agentCap: 0, spent: 0, mine: 0 }), day, noon, null);
  expect(early.message).toBe('daily budget exceeded: cap 0 USD, spent 0');
});

test('the cap of all agents never says what the others spend', () => {
  const spent = refuse({ globalCap: 1_000, spent: 99, mine: 20 }, 5);
  expect([spent.code, spent.message]).toEqual([
    'global_budget_exceeded',
    'global daily budget exceeded: this request may cost 0.00000002 USD; a lower max_tokens may fit',
  ]);
  const held = refuse({ globalCap: 1_000, spent: 50, held: 495, mine: 20 }, 6);
  expect([held.code, held.message]).toEqual([
    'budget_held',
    'daily budget held by requests in flight: this request may cost 0.00000002 USD',
  ]);
  expect(refuse({ globalCap: 1_000, spent: 100, mine: 0 }).message).toBe(errorTable.global_budget_exceeded.message);
  for (const { headers } of [spent, held])
    expect(Object.keys(headers).filter((name) => name.startsWith('X-Budget'))).toEqual(['X-Budget-Request-Usd']);
});

test('what requests in flight hold is said, is worth another try, and a lower bound may fit beside them', () => {
  const given = { agentCap: 100, spent: 10, held: 60, mine: 40 };
  const refusal = refuse(given, 30);
  expect(refusal.message).toBe(
    'daily budget held by requests in flight: cap 0.0000001 USD, spent 0.00000001, held 0.00000006, this request may cost 0.00000004; a lower max_tokens may fit',
  );
  expect(refusal.headers).toMatchObject({ 'Retry-After': '1', 'X-Budget-Held-Usd': '0.00000006' });
  expect(refuse(given, 31).message).not.toContain('may fit');
  // It would have to fit both caps.
  expect(refuse({ ...given, globalCap: 165 }, 30).message).not.toContain('may fit');
});

test('Retry-After of a spent cap ends with the day, also if the day ended while the request ran', () => {
  const judged = judgeCase({ agentCap: 1, spent: 1, mine: 1 });
  const at = (time: string) => refuseBudget(judged, day, Date.parse(time), null).headers['Retry-After'];
  expect(at('2026-02-28T00:00:00.000Z')).toBe('86400');
  expect(at('2026-02-28T23:59:58.001Z')).toBe('2');
  expect(at('2026-02-28T23:59:59.999Z')).toBe('1');
  expect(at('2026-03-01T00:00:00.000Z')).toBe('1');
  expect(at('2026-03-01T00:00:05.000Z')).toBe('1');
});

test('amounts are exact decimals, however small or large', () => {
  expect([0, 1, 1e9, 12_340_000_000, 1e8, 300_000_004, 1e15].map(nanoToText)).toEqual([
    '0',
    '0.000000001',
    '1',
    '12.34',
    '0.1',
    '0.300000004',
    '1000000',
  ]);
});
