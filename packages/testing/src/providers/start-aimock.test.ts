import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aimockAnswer, startAimock } from './start-aimock.ts';

const { text, promptTokens, completionTokens } = aimockAnswer;
let aimock: Awaited<ReturnType<typeof startAimock>>;

beforeAll(async () => {
  aimock = await startAimock();
});
afterAll(() => aimock.stop());

test('the OpenAI client gets the fixture figures from chat, responses and their streams', async () => {
  const openai = new OpenAI({ baseURL: `${aimock.url}/v1`, apiKey: 'any', maxRetries: 0 });
  const asked = { model: 'gpt-5-mini', messages: [{ role: 'user' as const, content: 'How long?' }] };
  const chat = await openai.chat.completions.create(asked);
  expect(chat.choices[0]?.message.content).toBe(text);
  expect(chat.usage).toMatchObject({ prompt_tokens: promptTokens, completion_tokens: completionTokens });
  const streamed = { ...asked, stream: true as const, stream_options: { include_usage: true } };
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await openai.chat.completions.create(streamed)) chunks.push(chunk);
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(text);
  expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: promptTokens, completion_tokens: completionTokens });
  const response = await openai.responses.create({ model: 'gpt-5-mini', input: 'How long?' });
  expect(response.usage).toMatchObject({ input_tokens: promptTokens, output_tokens: completionTokens });
  const final = await openai.responses.stream({ model: 'gpt-5-mini', input: 'How long?' }).finalResponse();
  expect(final.usage).toMatchObject({ input_tokens: promptTokens, output_tokens: completionTokens });
});

test('the OpenAI client gets embeddings whose usage is 0, a gap of this fake', async () => {
  const openai = new OpenAI({ baseURL: `${aimock.url}/v1`, apiKey: 'any', maxRetries: 0 });
  const embeddings = await openai.embeddings.create({
    model: 'text-embedding-3-small',
    input: 'one',
    encoding_format: 'float',
  });
  expect(embeddings.data[0]?.embedding).toEqual([0.6, 0.8]);
  expect(embeddings.usage).toEqual({ prompt_tokens: 0, total_tokens: 0 });
});

test('the Anthropic client gets the fixture figures from messages and their stream', async () => {
  const anthropic = new Anthropic({ baseURL: aimock.url, apiKey: 'any', maxRetries: 0 });
  const asked = {
    model: 'claude-sonnet-5',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'How long?' }],
  };
  const usage = { input_tokens: promptTokens, output_tokens: completionTokens };
  expect((await anthropic.messages.create(asked)).usage).toMatchObject(usage);
  const final = await anthropic.messages.stream(asked).finalMessage();
  expect(final.content[0]).toMatchObject({ type: 'text', text });
  expect(final.usage).toMatchObject(usage);
});

test('the Gemini client gets the fixture figures from generateContent and its stream', async () => {
  const gemini = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: aimock.url, apiVersion: 'v1beta' } });
  const asked = { model: 'gemini-2.5-flash', contents: 'How long?' };
  const usage = { promptTokenCount: promptTokens, candidatesTokenCount: completionTokens };
  const whole = await gemini.models.generateContent(asked);
  expect(whole.text).toBe(text);
  expect(whole.usageMetadata).toMatchObject(usage);
  let streamed = '';
  let last: unknown;
  for await (const chunk of await gemini.models.generateContentStream(asked)) {
    streamed += chunk.text ?? '';
    last = chunk.usageMetadata;
  }
  expect(streamed).toBe(text);
  expect(last).toMatchObject(usage);
});
