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

test.each<[string, string, string, Answered, number]>([
  [
    'a refusal before any output',
    'anthropic',
    '/v1/messages',
    { body: { ...refused, content: [], usage: figures } },
    0,
  ],
  ['the same, streamed', 'anthropic', '/v1/messages', refusing(), 0],
  [
    'a refusal within the answer',
    'anthropic',
    '/v1/messages',
    { body: { ...refused, content: [{ type: 'text', text: 'Well' }], usage: figures } },
    150_050_000,
  ],
  ['the same, streamed', 'anthropic', '/v1/messages', refusing(said), 150_050_000],
  ['a blocked prompt', 'gemini', '/v1beta/models/gemini-2.5-flash:generateContent', { body: blocked }, 0],
  ['the same, streamed', 'gemini', '/v1beta/models/gemini-2.5-flash:streamGenerateContent', sse(blocked), 0],
  ['a stream that is but an error', 'openai', '/v1/images/generations', sse({ type: 'error', ...moderated }), 0],
  ['the same in a chat', 'openai', '/v1/chat/completions', sse(moderated), 0],
  [
    'a response that fails before it begins',
    'openai',
    '/v1/responses',
    sse(created, { type: 'response.failed', response: failure }),
    0,
  ],
])('%s costs what the provider bills: %s %s', async (_what, provider, path, answer, costNanoUsd) => {
  const body = { model: 'claude-fable-5', max_tokens: 9, input: 'Hi', prompt: 'Hi', messages: [] };
  const bill = await measure(path, body, answer, lenient, provider);
  expect(bill).toMatchObject({ costNanoUsd, usageSource: costNanoUsd === 0 ? 'none' : 'provider', doubt: null });
});
