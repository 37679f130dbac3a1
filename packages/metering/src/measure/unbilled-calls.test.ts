import { expect, test } from 'vitest';
import { type Answered, lenient, measure, sse } from '../../test/measure-call.ts';

const refused = { model: 'claude-fable-5', stop_reason: 'refusal', stop_details: { category: 'cyber' } };
const figures = { input_tokens: 15_000, output_tokens: 1 };
const refusing = (...between: object[]) =>
  sse(
    { type: 'message_start', message: { model: 'claude-fable-5', content: [], usage: figures } },
    ...between,
    { type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  );
const said = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 9 } };
const moderated = { error: { code: 'moderation_blocked', message: 'No.' } };
const created = { type: 'response.created', response: { model: 'gpt-4o-mini', output: [], usage: null } };
const failure = { model: 'gpt-4o-mini', status: 'failed', error: { code: 'invalid_prompt' }, output: [], usage: null };

const paths = {
  anthropic: '/v1/messages',
  gemini: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
  openai: '/v1/responses',
};
const whole = (content: object[]) => ({ body: { ...refused, content, usage: figures } });

test.each<[string, keyof typeof paths, Answered, number]>([
  ['a refusal before any output', 'anthropic', whole([]), 0],
  ['the same, streamed', 'anthropic', refusing(), 0],
  ['a refusal within the answer', 'anthropic', whole([{ type: 'text', text: 'Well' }]), 150_050_000],
  ['the same, streamed', 'anthropic', refusing(said), 150_050_000],
  ['a blocked prompt', 'gemini', { body: [blocked] }, 0],
  ['the same, streamed', 'gemini', sse(blocked), 0],
  ['a stream that is but an error', 'openai', sse({ type: 'error', ...moderated }), 0],
  ['one that fails before it begins', 'openai', sse(created, { type: 'response.failed', response: failure }), 0],
])('%s costs what the provider bills: %s', async (_what, provider, answer, costNanoUsd) => {
  const body = { model: 'claude-fable-5', max_tokens: 9, input: 'Hi', messages: [] };
  const bill = await measure(paths[provider], body, answer, lenient, provider);
  expect(bill).toMatchObject({ costNanoUsd, usageSource: costNanoUsd === 0 ? 'none' : 'provider', doubt: null });
});
