import { labelKind } from '@agp/metering';
import { type CallFacts, type Policy, policySchema, prepareRules } from '@agp/policy';
import type { OpenLabels } from '@agp/reservations';
import { expect, test } from 'vitest';
import { AnswerData } from './answer-data.ts';
import { findDataRules } from './data-rules.ts';
import { Replacements } from './replacements.ts';

const facts = { agent: 'a', labels: {}, tag: 'default', provider: 'openai', operations: null, at: 0 };
const rulesOf = (...policies: object[]) =>
  prepareRules(
    1,
    policies.map((policy, at) => {
      const whole: Policy = policySchema.parse({ name: `p${at}`, mode: 'enforce', ...policy });
      return { version: 1, policy: whole };
    }),
  );
const find = (...policies: object[]) => findDataRules(rulesOf(...policies), facts, 'response');

const excepted = (rule: string) => ({
  exceptions: [{ match: { agents: ['a'] }, rules: [rule], until: '2199-01-01', reason: 'trial' }],
});
const check = { check: { url: 'https://checks.example/', response: true } };
const pii = { pii: { response: { email: 'redact' } } };

test('an exception frees an answer of the rule alone that it names', () => {
  expect(find({ ...check, ...excepted('check') })).toBeNull();
  expect(find({ ...pii, ...excepted('pii') })).toBeNull();
  expect(find({ ...pii, ...check, ...excepted('pii') })).toMatchObject({ needsAll: true });
  expect(find({ ...pii, ...check, ...excepted('pii') })?.decide('email')).toBeUndefined();
});

test('only what is replaced by labels asks Redis for them', () => {
  expect(find({ pii: { response: { email: 'block' } } })).toMatchObject({ writesLabels: false });
  expect(find({ pii: { response: { email: 'redact' }, replace_with: 'last_four' } })?.writesLabels).toBe(false);
  expect(find(pii)).toMatchObject({ writesLabels: true });
});

test('what only observes holds no answer', () => {
  expect(find({ ...pii, ...check, mode: 'observe' })).toBeNull();
  expect(find({ ...pii, mode: 'warn' }, { ...pii })).toMatchObject({ needsAll: true });
});

test('what a rule keeps from an answer is not put back under another name', () => {
  const own = { name: 'mailbox', pattern: '[a-z]+@[a-z.]+', matches: ['a@b.c'], ignores: ['a'] };
  const restoring = { pii: { request: { mailbox: 'redact', phone: 'redact' }, restore: true, patterns: [own] } };
  const values: Record<string, string> = { 'mailbox 1': 'john@example.com', 'phone 1': '+44 20 7946 0958' };
  const labels = { valueOf: (label: string) => values[label] } as OpenLabels;
  const rules = rulesOf(restoring, pii);
  const found = findDataRules(rules, facts, 'response');
  if (found === null) throw new Error('no rule holds');
  const all = { rules, facts: facts as unknown as CallFacts };
  const data = new AnswerData(found, all, new Replacements(labels, undefined), null);
  expect(data.put(labelKind, '[mailbox 1]')).toBeNull();
  expect(data.put(labelKind, '[phone 1]')).toBe('+44 20 7946 0958');
  expect(data.put(labelKind, '[phone 2]')).toBeNull();
});

test('an answer too long for a check is answered for by the policy', () => {
  const found = find(check);
  if (found === null) throw new Error('no rule holds');
  const all = { rules: rulesOf(check), facts: { ...facts, tools: [], models: [] } as unknown as CallFacts };
  const verdict = { action: 'block' as const, reason: 'too long', found: { not_checked: 1 }, hasFailed: true as const };
  const failed = { verdicts: new Map([['p0', verdict]]), replacements: [], isBlocked: true };
  const checking = { ask: () => Promise.resolve(failed), fail: () => failed };
  const data = new AnswerData(found, all, new Replacements(null, undefined), checking);
  expect(data.passesUnchecked?.()).toBe(false);
  expect(data.denied?.message).toContain('(rule check.response): too long');
});
