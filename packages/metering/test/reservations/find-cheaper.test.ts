import { expect, test } from 'vitest';
import type { ProviderApi } from '../../src/dialects/operation.ts';
import { makeHead, openMetering } from '../open-metering.ts';

const messages = [{ role: 'user', content: 'Hello' }];
const contents = [{ parts: [{ text: 'Hello' }] }];

function find(api: ProviderApi, path: string, body: object, isStrict = false) {
  const metering = openMetering({ isStrict });
  const head = makeHead(api, path, { method: 'POST', query: '', hasBody: true });
  const caps = { isCapped: true, mayRefuse: true };
  const form = { contentType: 'application/json', contentEncoding: '' };
  if (head.operation === null) throw new Error('unknown operation');
  const inspected = metering.inspect(head.operation, head, Buffer.from(JSON.stringify(body)), form, caps);
  const inFull = metering.findReservation(head, inspected, caps);
  const cheaper = metering.findCheaper(head, inspected, caps);
  return { inFull, bound: cheaper?.bound ?? null, least: cheaper?.nanoUsd ?? null };
}

/** A token of gpt-4o's output in nano-dollars: its list price, and in strict mode that of its dearest tier. */
const outputNano = { available: 10_000, strict: 15_000 };

test.each([
  ['openai', '/v1/chat/completions', { model: 'gpt-4o', messages, max_tokens: 1_000 }, 'max_tokens'],
  [
    'openai',
    '/v1/chat/completions',
    { model: 'gpt-4o', messages, max_completion_tokens: 1_000 },
    'max_completion_tokens',
  ],
  ['openai', '/v1/responses', { model: 'gpt-4o', input: 'Hello', max_output_tokens: 1_000 }, 'max_output_tokens'],
] as const)('%s %s: without all but one token of its output', (api, path, body, name) => {
  for (const isStrict of [false, true]) {
    const { inFull, bound, least } = find(api, path, body, isStrict);
    expect([bound, inFull - (least ?? 0)]).toEqual([name, 999 * outputNano[isStrict ? 'strict' : 'available']]);
  }
});

test('the bound has the name that the API gives it, also where the request has none', () => {
  const asked = { generationConfig: { maxOutputTokens: 900 }, contents };
  expect(find('gemini', '/v1beta/models/gemini-2.5-flash:generateContent', asked).bound).toBe('maxOutputTokens');
  for (const isStrict of [false, true]) {
    const bare = find('openai', '/v1/chat/completions', { model: 'gpt-4o', messages }, isStrict);
    expect([bare.bound, (bare.least ?? bare.inFull) < bare.inFull]).toEqual(['max_tokens', true]);
  }
  expect(find('anthropic', '/v1/messages', { model: 'claude-opus-4-5', messages, max_tokens: 9 }).bound).toBe(
    'max_tokens',
  );
});

test('what no bound makes cheaper is never said to become so', () => {
  const embedded = find('openai', '/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hello' });
  expect([embedded.bound, embedded.least]).toEqual([null, null]);
  const drawn = find('openai', '/v1/images/generations', { model: 'gpt-image-1', prompt: 'A cat' });
  expect(drawn.bound).toBeNull();
  // Thoughts are output too, whatever bounds the rest.
  const thinking = { type: 'enabled', budget_tokens: 2_000 };
  const thought = find('anthropic', '/v1/messages', {
    model: 'claude-opus-4-5',
    messages,
    max_tokens: 2_000,
    thinking,
  });
  expect(thought.least).toBe(thought.inFull);
  // A model that takes over has a bound of its own.
  const fallbacks = [{ model: 'claude-opus-4-5', max_tokens: 2_000 }];
  const asked = { model: 'claude-opus-4-5', messages, max_tokens: 2_000, fallbacks };
  const handedOver = find('anthropic', '/v1/messages', asked);
  expect(handedOver.least).toBe(handedOver.inFull);
  // Under a rival's name another server may take it for the bound.
  const rival = { model: 'gpt-4o', messages, max_tokens: 1_000, num_predict: 1_000 };
  const rivalled = find('openai', '/v1/chat/completions', rival);
  expect(rivalled.least).toBe(rivalled.inFull);
});
