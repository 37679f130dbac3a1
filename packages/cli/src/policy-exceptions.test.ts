import { type Policy, policySchema } from '@agp/policy';
import { expect, test } from 'vitest';
import { describeEnded } from './policy-exceptions.ts';

const nightly = { match: { agents: ['nightly'] }, rules: ['models'], until: '2999-01-02', reason: 'month' };
const sales = { match: { labels: { team: ['sales'] } }, until: '2999-01-01T12:00:00+01:00', reason: 'fair' };
const past = { ...nightly, until: '2020-01-01' };
const signed = { ...nightly, by: 'jane', at: '2026-01-01T00:00:00.000Z' };

test.each<[string, Policy['exceptions'], Policy['exceptions'], string]>([
  ['none', undefined, undefined, ''],
  ['one that is new', undefined, [nightly], ''],
  ['one that goes on, though its reason is another', [signed], [{ ...nightly, reason: 'year' }], ''],
  ['one that goes on for longer', [signed], [sales, { ...nightly, until: '2999-01-02T01:00:00Z' }], ''],
  ['one that has ended', [past], undefined, ''],
  [
    'one that ends earlier',
    [signed],
    [{ ...nightly, until: '2999-01-01' }],
    ', ends 1 exception (agent nightly, of models, until 2999-01-02 00:00:00Z)',
  ],
  [
    'one that is of fewer rules',
    [sales],
    [{ ...sales, rules: ['hours'] }],
    ', ends 1 exception (team sales, of all rules, until 2999-01-01 11:00:00Z)',
  ],
  [
    'two of three',
    [sales, past, signed],
    [past],
    ', ends 2 exceptions (team sales, of all rules, until 2999-01-01 11:00:00Z; agent nightly, of models, until 2999-01-02 00:00:00Z)',
  ],
])('a file tells which exceptions it ends: %s', (_which, before, after, told) => {
  const make = (exceptions: Policy['exceptions']) => policySchema.parse({ name: 'p', exceptions });
  expect(describeEnded(make(before), make(after))).toBe(told);
});
