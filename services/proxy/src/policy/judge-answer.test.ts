import type { EventTool } from '@agp/core/events';
import { type CallFacts, policySchema, prepareRules } from '@agp/policy';
import { expect, test } from 'vitest';
import { AnswerJudge } from './judge-answer.ts';

const facts: CallFacts = {
  ...{ agent: 'a', labels: {}, tag: 'default', provider: 'openai', operations: ['chat.completions'], at: 0 },
  ...{ models: ['m'], tools: [], output_tokens: 1, input_bytes: 1, nano_usd: 0 },
};

const call = (...names: string[]): EventTool => ({ kind: 'client', names });
const calls = (count: number) => Array.from({ length: count }, (_, index) => call(`t${index}`));

test.each<[string, 'refuse' | 'allow', EventTool[], string | undefined]>([
  ['as many calls as there are tools', 'refuse', calls(1_000), undefined],
  ['more calls', 'refuse', calls(1_001), 'its answer cannot be read'],
  ['a name as long as one may be', 'refuse', [call('x'.repeat(256))], undefined],
  ['a longer name', 'refuse', [call('x', 'x'.repeat(257))], 'its answer cannot be read'],
  ['a longer name, if what cannot be read is allowed', 'allow', [call('x'.repeat(257))], undefined],
])('an answer with %s is judged in time, or not read', (_, unreadable, called, expected) => {
  const policy = policySchema.parse({ name: 'p', mode: 'enforce', unreadable, tools: { client: { deny: ['shell'] } } });
  const judge = new AnswerJudge({
    admission: { rules: prepareRules(1, [{ version: 1, policy }]) },
    governed: { facts },
  });
  expect(judge.allows({ model: 'm', called })).toBe(expected === undefined);
  expect(judge.denied?.findings[0].reason).toBe(expected);
});
