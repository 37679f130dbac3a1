import { gluedLabelKind, labelKind, namedLabelKind } from '@agp/metering';
import { type CallFacts, type Policy, policySchema, prepareRules } from '@agp/policy';
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

test('what is put back is what all policies that redact it put back', () => {
  const ofRequest = (...policies: object[]) => findDataRules(rulesOf(...policies), facts, 'request');
  const restoring = { pii: { request: { email: 'redact', phone: 'redact' }, restore: true } };
  expect(ofRequest(restoring)?.decide('email')).toEqual({ action: 'redact', put: 'label', restores: true });
  const both = ofRequest({ pii: { request: { email: 'redact' } } }, restoring);
  expect(both?.decide('email')).toEqual({ action: 'redact', put: 'label', restores: false });
  expect([both?.decide('phone')?.restores, both?.restores]).toEqual([true, true]);
  expect(ofRequest({ ...restoring, ...excepted('pii') })?.restores).toBe(false);
});

test('what only observes holds no answer', () => {
  expect(find({ ...pii, ...check, mode: 'observe' })).toBeNull();
  expect(find({ ...pii, mode: 'warn' }, { ...pii })).toMatchObject({ needsAll: true });
});

test('what a rule keeps from an answer is not put back under another name, nor a mere word within another', () => {
  const own = { name: 'mailbox', pattern: '[a-z]+@[a-z.]+', matches: ['a@b.c'], ignores: ['a'] };
  const restoring = {
    pii: { request: { mailbox: 'redact', phone: 'redact', password: 'redact' }, restore: true, patterns: [own] },
  };
  const rules = rulesOf(restoring, pii);
  const found = findDataRules(rules, facts, 'response', true);
  if (found === null) throw new Error('no rule holds');
  const all = { rules, facts: facts as unknown as CallFacts };
  const replacements = new Replacements('agent', undefined);
  const label = (kind: string, value: string) =>
    replacements.writeOwn({ action: 'redact', put: 'label', restores: true }, kind, value);
  const [mailbox, phone, word] = [
    label('p0/mailbox', 'john@example.com'),
    label('phone', '+44 20 7946 0958'),
    label('password', 'Summer'),
  ];
  const data = new AnswerData(found, all, replacements, null);
  expect(data.put(labelKind, mailbox)).toBeNull();
  expect(data.put(labelKind, phone)).toBe('+44 20 7946 0958');
  expect(data.put(gluedLabelKind, phone)).toBe('+44 20 7946 0958');
  expect(data.put(labelKind, word)).toBe('Summer');
  for (const kind of [gluedLabelKind, namedLabelKind]) expect(data.put(kind, word)).toBeNull();
  expect(data.put(namedLabelKind, phone)).toBe('+44 20 7946 0958');
  expect(data.put(labelKind, '[phone bcdfgh]')).toBeNull();
});

test('an answer too long for a check is answered for by the policy', () => {
  const found = find(check);
  if (found === null) throw new Error('no rule holds');
  const all = { rules: rulesOf(check), facts: { ...facts, tools: [], models: [] } as unknown as CallFacts };
  const verdict = { action: 'block' as const, reason: 'too long', found: { not_checked: 1 }, hasFailed: true as const };
  const failed = { verdicts: new Map([['p0', verdict]]), replacements: [], isBlocked: true };
  const checking = { ask: () => Promise.resolve(failed), fail: () => failed };
  const data = new AnswerData(found, all, new Replacements('agent', undefined), checking);
  expect(data.passesUnchecked?.()).toBe(false);
  expect(data.denied?.message).toContain('(rule check.response): too long');
});

test('a signed thought is left as it is, labels too; what must not leave it ends the answer', () => {
  const open = (policy: object) => {
    const rules = rulesOf({ pii: { response: { email: 'redact' } }, ...policy });
    const found = findDataRules(rules, facts, 'response', true);
    if (found === null) throw new Error('no rule holds');
    return new AnswerData(
      found,
      { rules, facts: facts as unknown as CallFacts },
      new Replacements('agent', undefined),
      null,
    );
  };
  const strict = open({});
  expect([strict.put(labelKind, '[phone bcdfgh]', true), strict.hasEnded]).toEqual([null, false]);
  expect([strict.put('email', 'john@example.com', true), strict.hasEnded]).toEqual([null, true]);
  expect(strict.denied?.message).toContain('a signed thought, which holds email and cannot be changed');
  const lax = open({ unreadable: 'allow' });
  expect([lax.put('email', 'john@example.com', true), lax.hasEnded]).toEqual([null, false]);
});
