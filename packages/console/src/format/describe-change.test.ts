import { auditActions } from '@agp/core/audit';
import { expect, test } from 'vitest';
import { describeChange, nameAction } from './describe-change.ts';

const change = (before: Record<string, unknown> | null, after: Record<string, unknown> | null) =>
  describeChange({ action: 'agent.update', count: 1, before, after });

test('says what changed and nothing else', () => {
  expect(change({ status: 'active', metadata: { team: 'a' } }, { status: 'blocked', metadata: { team: 'a' } })).toBe(
    'status: active → blocked',
  );
  expect(change({ daily_cap_usd: null }, { daily_cap_usd: 5 })).toBe('daily cap usd: none → 5');
  expect(change(null, { name: 'night shift' })).toBe('name: "night shift"');
  expect(change({ status: 'active' }, { status: 'active' })).toBe('nothing changed');
});

test('no text passes for a change that was not made, and long ones are cut', () => {
  expect(change({ metadata: { a: 'x' } }, { metadata: { a: 'x, status: active → blocked' } })).toContain('"x, status');
  expect(change({}, { metadata: { a: 'y'.repeat(500) } }).length).toBeLessThan(120);
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, at]));
  expect(change({}, { metadata: many })).toMatch(/and 38 more$/);
});

test('refused requests say how many and why', () => {
  const after = { reasons: { agent_blocked: 1200, rate_limited: 3 } };
  expect(describeChange({ action: 'request.refused', count: 1203, before: null, after })).toBe(
    '1,203 refused: agent blocked 1,200, rate limited 3',
  );
  expect(nameAction('toString')).toBe('toString');
});

test('every action of the audit log has words', () => {
  expect(auditActions.filter((action) => nameAction(action) === action)).toEqual([]);
});
