import { expect, test } from 'vitest';
import { type Answered, lenient, measure, sse } from '../../test/measure-call.ts';

const chat = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] };

test('no guess is more than the models can write and read, once for each answer asked for', async () => {
  const unread = { contentType: 'application/x-words', body: 'x'.repeat(8_000_000) };
  const ask = (more: object, answer = unread) => measure('/v1/chat/completions', { ...chat, ...more }, answer);
  expect(await ask({ max_tokens: 10 })).toMatchObject({ completionTokens: 131_072, usageSource: 'estimated' });
  expect(await ask({ n: 3 })).toMatchObject({ completionTokens: 3 * 131_072 });
  expect(await ask({ max_tokens: 1_000_000 })).toMatchObject({ completionTokens: 131_072 });
  const long = { messages: [{ role: 'user', content: 'word '.repeat(400_000) }] };
  expect(await ask(long)).toMatchObject({ promptTokens: 160_000 });
  // Cut after figures of its input.
  const start = {
    type: 'message_start',
    message: { model: 'claude-haiku-4-5', usage: { input_tokens: 15_000, output_tokens: 1 } },
  };
  const body = { model: 'claude-haiku-4-5', max_tokens: 9, messages: [] };
  const endless = sse(start, { type: 'content_block_delta', delta: { text: ' word'.repeat(150_000) } });
  expect(await measure('/v1/messages', body, endless, lenient, 'anthropic')).toMatchObject({
    promptTokens: 15_000,
    completionTokens: 131_072,
  });
});

test('a model without a price costs a fixed amount for each 10,000 tokens under a cap, told or not', async () => {
  const body = { ...chat, model: 'unheard-of' };
  const answer = (prompt_tokens: number, completion_tokens: number) => ({
    body: { model: 'unheard-of', choices: [], usage: { prompt_tokens, completion_tokens } },
  });
  const cost = async (answered: Answered, isCapped = true) =>
    (await measure('/v1/chat/completions', body, answered, lenient, 'openai', { isCapped })).costNanoUsd;
  expect(await cost(answer(9, 500))).toBe(10_000_000);
  expect(await cost(answer(30_000, 1))).toBe(40_000_000);
  expect(await cost({ body: { model: 'unheard-of', choices: [{ message: { content: 'Well.' } }] } })).toBe(10_000_000);
  expect(await cost(answer(30_000, 1), false)).toBe(0);
  const long = { ...body, messages: [{ role: 'user', content: 'x'.repeat(100_000) }] };
  expect((await measure('/v1/chat/completions', long, answer(9, 500))).reserved).toBe(30_000_000);
});
