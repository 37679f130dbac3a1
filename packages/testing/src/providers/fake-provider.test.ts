import { request } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { answerCanned } from './answer-canned.ts';
import { startFakeProvider } from './fake-provider.ts';

const figures = { input: 100, cacheRead: 1_024, cacheWrite5m: 30, cacheWrite1h: 7, output: 5, reasoning: 64 };
const text = 'The answer is 42.';

test('the OpenAI client reads cached and reasoning tokens, streamed or not', async () => {
  await using provider = await startFakeProvider(answerCanned(figures));
  const openai = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'any', maxRetries: 0 });
  const asked = { model: 'gpt-5', messages: [{ role: 'user' as const, content: 'What?' }] };
  const usage = {
    prompt_tokens: 1_124,
    completion_tokens: 69,
    total_tokens: 1_193,
    prompt_tokens_details: { cached_tokens: 1_024 },
    completion_tokens_details: { reasoning_tokens: 64 },
  };
  const { data: whole, request_id } = await openai.chat.completions.create(asked).withResponse();
  expect([whole.usage, whole.choices[0]?.message.content, request_id]).toMatchObject([usage, text, 'req_openai_1']);
  const stream = openai.chat.completions.stream({ ...asked, stream_options: { include_usage: true } });
  expect((await stream.finalChatCompletion()).usage).toMatchObject(usage);
  const response = await openai.responses.create({ model: 'gpt-5', input: 'What?' });
  const final = await openai.responses.stream({ model: 'gpt-5', input: 'What?' }).finalResponse();
  for (const each of [response, final]) {
    expect(each.output_text).toBe(text);
    expect(each.usage).toMatchObject({ input_tokens: 1_124, output_tokens: 69 });
    expect(each.usage?.input_tokens_details.cached_tokens).toBe(1_024);
    expect(each.usage?.output_tokens_details.reasoning_tokens).toBe(64);
  }
  const embeddings = await openai.embeddings.create({ model: 'text-embedding-3-small', input: 'one' });
  expect(embeddings.usage).toEqual({ prompt_tokens: 100, total_tokens: 100 });
  expect(embeddings.data[0]?.embedding[1]).toBeCloseTo(0.8, 6);
});

test('the Anthropic client reads cache reads and both kinds of cache writes, streamed or not', async () => {
  await using provider = await startFakeProvider(answerCanned(figures));
  const anthropic = new Anthropic({ baseURL: provider.url, apiKey: 'any', maxRetries: 0 });
  const asked = { model: 'claude-sonnet-5', max_tokens: 99, messages: [{ role: 'user' as const, content: 'What?' }] };
  const usage = {
    input_tokens: 100,
    cache_read_input_tokens: 1_024,
    cache_creation_input_tokens: 37,
    cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 7 },
    output_tokens: 69,
  };
  const whole = await anthropic.messages.create(asked);
  const final = await anthropic.messages.stream(asked).finalMessage();
  for (const each of [whole, final]) {
    expect(each.content[0]).toMatchObject({ type: 'text', text });
    expect(each.usage).toMatchObject(usage);
  }
});

test('the Gemini client reads thoughts and cached tokens, streamed or not', async () => {
  await using provider = await startFakeProvider(answerCanned(figures));
  const gemini = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: provider.url } });
  const asked = { model: 'gemini-2.5-flash', contents: 'What?' };
  const usage = {
    promptTokenCount: 1_124,
    cachedContentTokenCount: 1_024,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 64,
    totalTokenCount: 1_193,
  };
  const whole = await gemini.models.generateContent(asked);
  expect([whole.text, whole.usageMetadata]).toMatchObject([text, usage]);
  const seen: unknown[] = [];
  for await (const chunk of await gemini.models.generateContentStream(asked)) seen.push(chunk.usageMetadata);
  expect(seen).toHaveLength(5);
  expect(seen.at(-1)).toMatchObject(usage);
  const array = await fetch(`${provider.url}/v1beta/models/gemini-2.5-flash:streamGenerateContent`, {
    method: 'POST',
    body: '{}',
  });
  expect(await array.json()).toHaveLength(5);
});

test('a request is kept as it arrived: target, spelling and order of headers, bytes', async () => {
  await using provider = await startFakeProvider(() => ({ status: 418, headers: { 'x-b': ['1', '2'] }, body: 'no' }));
  const body = Buffer.from([0, 255, 1]);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request(
      provider.url,
      {
        method: 'PUT',
        path: '/a%2Fb?x=%7B&x',
        headers: ['X-ODD-Case', 'One', 'x-odd-case', 'Two', 'Host', 'fake', 'Content-Length', '3'],
      },
      (response) => response.resume().once('end', () => resolve(response.statusCode)),
    );
    sent.once('error', reject);
    sent.end(body);
  });
  expect(status).toBe(418);
  const [received] = provider.requests;
  expect(received).toMatchObject({ method: 'PUT', target: '/a%2Fb?x=%7B&x' });
  expect(received?.rawHeaders.slice(0, 4)).toEqual(['X-ODD-Case', 'One', 'x-odd-case', 'Two']);
  expect(received?.body.equals(body)).toBe(true);
  expect(await received?.aborted).toBe(false);
});

test('steps arrive until the cut, and the reader sees that the answer broke off', async () => {
  await using provider = await startFakeProvider(() => ({
    body: { steps: ['one', { pauseMs: 5 }, 'two', { cut: true }] },
  }));
  const response = await fetch(provider.url);
  let seen = '';
  const read = async () => {
    for await (const chunk of response.body ?? []) seen += Buffer.from(chunk).toString();
  };
  await expect(read()).rejects.toThrow(TypeError);
  expect(seen).toBe('onetwo');
});

test('a hanging answer sends nothing, and its request knows when the caller left', async () => {
  await using provider = await startFakeProvider(() => ({ hang: true }));
  await expect(fetch(provider.url, { signal: AbortSignal.timeout(100) })).rejects.toThrow();
  expect(await provider.requests[0]?.aborted).toBe(true);
});

test('a cut answer ends without a byte, and the next handler answers the next request', async () => {
  await using provider = await startFakeProvider(() => ({ cut: true }));
  await expect(fetch(provider.url)).rejects.toThrow(TypeError);
  provider.handle((_, index) => ({ pauseMs: 1, body: { index } }));
  const response = await fetch(provider.url);
  expect(await response.json()).toEqual({ index: 1 });
});

test('a handler that throws ends the connection, not the test run', async () => {
  await using provider = await startFakeProvider(() => {
    throw new Error('a mistake in the test');
  });
  await expect(fetch(provider.url)).rejects.toThrow(TypeError);
  await expect(fetch(provider.url)).rejects.toThrow(TypeError);
});
