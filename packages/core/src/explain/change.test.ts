import { expect, test } from 'vitest';
import { describeChange } from './change.ts';
import { describePii } from './event.ts';
import {
  countOf,
  formatCost,
  formatDuration,
  formatEstimate,
  formatShare,
  formatUsd,
  formatUtc,
  roundUsd,
} from './formats.ts';

type State = Record<string, unknown> | null;

const change = (before: State, after: State, isBrief = false) =>
  describeChange({ action: 'agent.update', count: 1, before, after }, { arrow: ' -> ', isBrief });
const state = { status: 'active', metadata: { team: 'ops', level: 3 } };

test('a change is told field by field, and nothing else', () => {
  expect(change(state, { ...state, status: 'blocked' })).toBe('status: active -> blocked');
  expect(change(state, { ...state, status: 'blocked' }, true)).toBe('status -> blocked');
  expect(change(state, state)).toBe('nothing changed');
  expect(change({ daily_cap_usd: null }, { daily_cap_usd: 2.5 })).toBe('daily_cap_usd: none -> 2.5');
  expect(change(null, { name: 'dashboard', scopes: ['read'], expires_at: '2027-01-31T00:00:00.000Z', by: null })).toBe(
    'name: dashboard, scopes: ["read"], expires_at: 2027-01-31 00:00:00.000 UTC',
  );
  const inWords = { arrow: ' → ', inWords: true };
  const cap = {
    action: 'budget.agent.set',
    count: 1,
    before: { daily_cap_usd: 1 },
    after: { daily_cap_usd: 5 },
  } as const;
  expect(describeChange(cap, inWords)).toBe('daily cap usd: 1 → 5');
});

test('no text passes for a change that was not made, and long ones are cut', () => {
  expect(change(state, { status: 'active', metadata: { team: 'a -> b, status: x', tags: ['x'] } })).toBe(
    'metadata.team: ops -> "a -> b, status: x", metadata.level: 3 -> none, metadata.tags: none -> ["x"]',
  );
  expect(change({ name: 'none' }, { name: null })).toBe('name: "none" -> none');
  const huge = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`key\u001b${at}`.repeat(50), 'v\n'.repeat(5_000)]),
  );
  const told = change({ metadata: {} }, { metadata: huge });
  expect(told.length).toBeLessThan(3_000);
  expect(told).toMatch(/, and 488 more$/);
  expect(told).toMatch(/^[^\p{C}]*$/u);
});

test('refused requests say how many and why', () => {
  const refused = (reasons: object, inWords: boolean) =>
    describeChange(
      { action: 'request.refused', count: 1201, before: null, after: { reasons } },
      { arrow: ' -> ', inWords },
    );
  expect(refused({ agent_blocked: 1200, 'x\u001b[2J': 1 }, false)).toBe(
    '1,201 refused: agent_blocked 1,200, "x\\u001b[2J" 1',
  );
  expect(refused({ agent_blocked: 1200, rate_limited: 1 }, true)).toBe(
    '1,201 refused: agent blocked 1,200, rate limited 1',
  );
});

test('amounts keep all the places that they have, and two at least; spans are in a unit that is read at once', () => {
  expect([0, 12.5, 0.00021375, 1e-9, 9_000_000].map(formatUsd)).toEqual([
    ...['0.00', '12.50', '0.00021375', '0.000000001', '9000000.00'],
  ]);
  expect([countOf(1, 'event'), countOf(2_000, 'event')]).toEqual(['1 event', '2,000 events']);
  expect(formatUtc('2026-11-22T12:03:22.393Z')).toBe('2026-11-22 12:03:22.393 UTC');
  expect([240, 3_210, 240_000, 7_500_000, 3 * 86_400_000].map(formatDuration)).toEqual([
    ...['240 ms', '3.2 s', '4 min', '2 h 5 min', '3 d'],
  ]);
});

test('amounts for people have cents, or two digits that count; a share is never rounded to none, all or a row of digits', () => {
  expect([405.881545, 0.890892, 0.098646512, 0.035, 0.0042168, 0, -1234.5, 1e-9].map((usd) => roundUsd(usd))).toEqual([
    ...['405.88', '0.89', '0.099', '0.035', '0.0042', '0.00', '-1,234.50', '<0.000001'],
  ]);
  expect([0, 0.0001, 0.5, 0.999, 1, 9.99, 455.59].map((part) => formatShare(part))).toEqual([
    ...['0%', '<1%', '50%', '>99%', '100%', '999%', '455 times'],
  ]);
});

test('nothing found is not said of what was not searched', () => {
  expect(describePii({ pii_types: [], pii_scan: 'none' }).text).toBe('not searched');
  expect(describePii({ pii_types: [], pii_scan: 'partial' }).text).toBe('none in what was searched');
  expect(describePii({ pii_types: ['email', 'iban'] }).text).toBe('email, iban');
});

test('estimates say no more than is known, and tokens without a price cost no $0', () => {
  expect([null, 1, 100, 180.4, 2_870, 409_600].map(formatEstimate)).toEqual([
    ...['–', '< 100 ms', '< 100 ms', '~180 ms', '~2.9 s', '> 3 min'],
  ]);
  expect([formatCost(0, 5, ' USD'), formatCost(0, 0, ' USD'), formatCost(0.5, 5)]).toEqual([
    ...['no price', '0.00 USD', '0.50'],
  ]);
});
