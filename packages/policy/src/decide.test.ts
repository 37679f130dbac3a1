import { expect, test } from 'vitest';
import type { z } from 'zod';
import { type Finding, judgeAnswer, judgeBody, PolicyDenied, prepareRules } from './decide.ts';
import type { CallFacts } from './facts.ts';
import { policySchema } from './schema.ts';

const usual: CallFacts = {
  agent: 'intern-1',
  labels: { team: 'interns' },
  tag: 'default',
  provider: 'openai',
  operations: ['chat.completions', 'chat', 'completions'],
  at: Date.UTC(2026, 10, 26, 12),
  models: ['gpt-5'],
  tools: [],
  output_tokens: 100,
  input_bytes: 1_000,
  nano_usd: 1_000_000,
};

type Given = Omit<z.input<typeof policySchema>, 'name'>;

test('a rule of models asks nothing of a call that runs none', () => {
  const policy = policySchema.parse({ name: 'p', models: { allow: ['gpt-5'] } });
  expect(judgeBody(prepareRules(1, [{ version: 1, policy }]), { ...usual, models: [] })).toEqual([]);
});

const denied: Given = {
  mode: 'enforce',
  models: { deny: ['*'] },
  limits: { max_input_bytes: 1 },
  providers: { allow: [] },
};

test('a refusal names the first five rules that it breaks, how many more there are, and what helps', () => {
  const policies = ['a', 'b', 'c'].map((name) => ({
    version: 1,
    policy: policySchema.parse({ name, ...denied, refusal: `ask ${name} about {rule}` }),
  }));
  const rules = prepareRules(1, policies);
  const told = (findings: Finding[]) => PolicyDenied.by(findings)?.message;
  const found = judgeBody(rules, usual);
  expect(told(found.slice(1, 2))).toBe(
    'denied by policy a (rule limits.max_input_bytes): at most 1 bytes of input are allowed; ask a about limits.max_input_bytes',
  );
  expect(told(found)).toMatch(
    /^denied by policy a \(rule models\): [^;]+; also by policy a \(rule limits\S+: [^;]+(; also [^;]+){3}; and 1 more; ask a about models$/,
  );
  expect(PolicyDenied.by(found)?.decidedBy).toMatch(
    /^a models: [^;]+; also a limits\S+: .*; also c models: .*; and 1 more$/,
  );
  expect([PolicyDenied.by(found)?.decision.length, PolicyDenied.by([])]).toEqual([6, undefined]);
});

const ofBedrock = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const hidden = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc';

test.each([
  [[ofBedrock]],
  [['us.anthropic.*']],
  [[`arn:aws:bedrock:us-east-1:123456789012:inference-profile/${ofBedrock}`]],
])("an answer of Bedrock has the model that %j allowed, by its maker's name", (allow) => {
  const policy = policySchema.parse({ name: 'p', mode: 'enforce', models: { allow } });
  const rules = prepareRules(1, [{ version: 1, policy }]);
  const facts = { ...usual, models: [ofBedrock], called: [] };
  expect(judgeAnswer(rules, { ...facts, model: 'claude-sonnet-4-5-20250929' })).toEqual([]);
  expect(judgeAnswer(rules, { ...facts, model: 'claude-opus-4-5-20251101' })).toHaveLength(1);
});

test.each<[object, number]>([
  [{ deny: ['claude-opus*'] }, 1],
  [{ deny: ['claude-opus*'], allow: ['arn:aws:bedrock:*'] }, 0],
  [{ allow: [hidden] }, 0],
  [{ allow: ['claude-*'] }, 1],
])('a model that its ARN hides, under %j', (models, findings) => {
  const policy = policySchema.parse({ name: 'p', mode: 'enforce', models });
  expect(judgeBody(prepareRules(1, [{ version: 1, policy }]), { ...usual, models: [hidden] })).toHaveLength(findings);
});
