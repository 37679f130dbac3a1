import type { CostUsageEntry } from '@agp/core/contracts';
import { expect, test } from 'vitest';
import { findBefore, findFirstDay, keyOf, nameEntry } from './usage-entries.ts';

test('two entries have one key only if all their groups are the same, whatever their texts', () => {
  const of = (compliance_tag: string, model: string) => ({ compliance_tag, model }) as CostUsageEntry;
  const entries = [of('a', 'b'), of('a', 'c'), of('a","', 'b'), of('a', 'b')];
  expect(new Set(entries.map((entry) => keyOf(entry, ['tag', 'model']))).size).toBe(3);
  const agents = [
    { agent_id: 'agt_1', agent_name: 'same' },
    { agent_id: 'agt_2', agent_name: null },
  ] as CostUsageEntry[];
  expect(agents.map((entry) => nameEntry(entry, ['agent']))).toEqual(['same', 'agt_2']);
});

test.each([
  [{ from: '2026-11-16' }, { days: 7, range: { from: '2026-11-09T00:00:00.000Z', to: '2026-11-15T15:00:00.000Z' } }],
  [{ from: '2026-11-22' }, { days: 1, range: { from: '2026-11-21T00:00:00.000Z', to: '2026-11-21T15:00:00.000Z' } }],
  [
    { from: '2026-10-01', to: '2026-11-01' },
    { days: 31, range: { from: '2026-08-31T00:00:00.000Z', to: '2026-10-01T00:00:00.000Z' } },
  ],
  [{ to: '2026-11-01' }, null],
  [{ from: '24h' }, null],
  [{ from: '2026-12-01' }, null],
])('before %j was as long a time', (range, before) => {
  expect(findBefore(range, Date.parse('2026-11-22T14:30:00Z'))).toEqual(before);
});

test.each([
  ['1d', '2026-11-22'],
  ['7d', '2026-11-16'],
  ['30d', '2026-10-24'],
  ['90d', '2026-08-25'],
])('%s begin so that today is the last of them', (span, first) => {
  for (const time of ['T00:00:00.000Z', 'T23:59:59.999Z']) {
    const now = Date.parse(`2026-11-22${time}`);
    expect(findFirstDay(span, now)).toBe(first);
    const days = (Date.parse('2026-11-23') - Date.parse(first)) / 86_400_000;
    expect(`${days}d`).toBe(span);
  }
});

test.each(['2026-11-20', '24h'])('%s is left as it is', (span) => {
  expect(findFirstDay(span)).toBe(span);
});
