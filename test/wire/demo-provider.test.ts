import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { FunctionCallingConfigMode, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startDemoProvider } from '../../packages/demo-provider/src/start-demo-provider.ts';
import { listDemoProviders } from '../../packages/local-stack/src/start/write-providers-file.ts';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem } from '../system/start-system.ts';

// The official clients use the simulated provider through the proxy, as a developer without an account does.
let system: System;
let proxyUrl = '';
const resources = new AsyncDisposableStack();
let openai: OpenAI;
let anthropic: Anthropic;
let gemini: GoogleGenAI;

beforeAll(async () => {
  const demo = resources.use(await startDemoProvider({ host: '127.0.0.1', port: 0, delayMs: 0 }));
  const folder = mkdtempSync(join(tmpdir(), 'agp-demo-'));
  resources.defer(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify(listDemoProviders(demo.url)));
  system = await startSystem({ environment: { PROVIDERS_FILE: file } });
  proxyUrl = system.proxies[0]?.url ?? '';
  const options = { apiKey: 'any', maxRetries: 8 };
  openai = new OpenAI({ baseURL: `${proxyUrl}/demo/v1`, ...options });
  anthropic = new Anthropic({ baseURL: `${proxyUrl}/demo-anthropic`, ...options });
  gemini = new GoogleGenAI({
    apiKey: 'any',
    httpOptions: { baseUrl: `${proxyUrl}/demo-gemini`, retryOptions: { attempts: 9 } },
  });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await resources.disposeAsync();
});

const order = z.object({
  supplier: z.string(),
  status: z.enum(['open', 'paid']),
  total: z.number().min(0).max(1_000),
  due: z.iso.date().nullable(),
  lines: z.array(z.object({ article: z.string().max(40), count: z.int().min(1) })).min(1),
});
const schema = z.toJSONSchema(order) as Record<string, unknown>;
const place = z.strictObject({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']) });
const parameters = z.toJSONSchema(place) as Record<string, unknown> & { type: 'object' };
const content = 'Is it warm enough in Oslo for the warehouse?';
const messages = [{ role: 'user' as const, content }];
const chat = { model: 'gpt-5-mini', messages };
const message = { model: 'claude-sonnet-5', max_tokens: 2_000, messages };
const contents = { model: 'gemini-2.5-flash', contents: content };

describe('an answer validates against the schema that was sent', () => {
  const format = { type: 'json_schema' as const, json_schema: { name: 'order', schema, strict: true } };

  test('with chat completions, whole and streamed', async () => {
    const whole = await openai.chat.completions.create({ ...chat, response_format: format });
    const made = order.parse(JSON.parse(whole.choices[0]?.message.content ?? ''));
    const streamed = await openai.chat.completions.stream({ ...chat, response_format: format }).finalContent();
    expect(JSON.parse(String(streamed))).toEqual(made);
  });

  test('with responses', async () => {
    const text = { format: { type: 'json_schema' as const, name: 'order', schema, strict: true } };
    const whole = await openai.responses.create({ model: 'gpt-5-mini', input: content, text });
    const made = order.parse(JSON.parse(whole.output_text));
    const streamed = await openai.responses.stream({ model: 'gpt-5-mini', input: content, text }).finalResponse();
    expect(JSON.parse(streamed.output_text)).toEqual(made);
  });

  test('with messages', async () => {
    const output_config = { format: { type: 'json_schema' as const, schema } };
    const text = await anthropic.messages.stream({ ...message, output_config }).finalText();
    order.parse(JSON.parse(text));
  });

  test('with generateContent', async () => {
    const config = { responseMimeType: 'application/json', responseJsonSchema: schema };
    const whole = await gemini.models.generateContent({ ...contents, config });
    order.parse(JSON.parse(whole.text ?? ''));
  });

  test('and is some JSON in JSON mode', async () => {
    const whole = await openai.chat.completions.create({ ...chat, response_format: { type: 'json_object' } });
    expect(JSON.parse(whole.choices[0]?.message.content ?? '')).toEqual({ answer: expect.any(String) });
    const config = { responseMimeType: 'application/json' };
    const text = (await gemini.models.generateContent({ ...contents, config })).text ?? '';
    expect(JSON.parse(text)).toEqual({ answer: expect.any(String) });
  });
});

describe('a tool is called with arguments that its schema allows, and its result is answered', () => {
  test('with chat completions', async () => {
    const names = ['get_weather', 'get_stock'];
    const tools = names.map((name) => ({ type: 'function' as const, function: { name, parameters } }));
    const ask = async (more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>) => {
      const { choices } = await openai.chat.completions.create({ ...chat, tools, ...more });
      return { calls: choices[0]?.message.tool_calls ?? [], reason: choices[0]?.finish_reason };
    };
    const first = await ask({});
    expect(first).toMatchObject({ calls: [{ function: { name: 'get_weather' } }], reason: 'tool_calls' });
    const [call] = first.calls;
    place.parse(JSON.parse(call?.type === 'function' ? call.function.arguments : ''));
    const both = [{ role: 'user' as const, content: 'Use get_stock and get_weather.' }];
    expect((await ask({ messages: both })).calls).toHaveLength(2);
    expect((await ask({ messages: both, parallel_tool_calls: false })).calls).toHaveLength(1);
    const named = { type: 'function' as const, function: { name: 'get_stock' } };
    expect((await ask({ tool_choice: named })).calls).toMatchObject([{ function: { name: 'get_stock' } }]);
    expect(await ask({ tool_choice: 'none' })).toEqual({ calls: [], reason: 'stop' });
    const result = [
      ...messages,
      { role: 'assistant' as const, tool_calls: first.calls },
      { role: 'tool' as const, tool_call_id: call?.id ?? '', content: '19 degrees' },
    ];
    expect(await ask({ messages: result })).toEqual({ calls: [], reason: 'stop' });
    expect((await ask({ messages: result, tool_choice: 'required' })).calls).toHaveLength(1);
    const stray = { type: 'function' as const, function: { name: 'get_rich' } };
    await expect(ask({ tool_choice: stray })).rejects.toMatchObject({ status: 400, param: 'tool_choice' });
    const stream = openai.chat.completions.stream({ ...chat, tools, tool_choice: 'required' });
    expect((await stream.finalMessage()).tool_calls).toMatchObject([{ function: { name: 'get_weather' } }]);
  });

  test('with responses', async () => {
    const tools = [{ type: 'function' as const, name: 'get_weather', parameters, strict: true }];
    const asked = { model: 'gpt-5', input: content, tools, tool_choice: 'required' as const };
    const { output } = await openai.responses.stream(asked).finalResponse();
    const call = output[0];
    if (call?.type !== 'function_call') throw new Error('no call');
    place.parse(JSON.parse(call.arguments));
    const results = { type: 'function_call_output' as const, call_id: call.call_id, output: '19 degrees' };
    const input = [{ role: 'user' as const, content }, call, results];
    const answer = await openai.responses.create({ ...asked, input, tool_choice: 'auto' });
    expect(answer.output_text).not.toBe('');
  });

  test('with messages', async () => {
    const tools = [{ name: 'get_weather', input_schema: parameters }];
    const called = await anthropic.messages.stream({ ...message, tools, tool_choice: { type: 'any' } }).finalMessage();
    expect(called.stop_reason).toBe('tool_use');
    const [use] = called.content;
    if (use?.type !== 'tool_use') throw new Error('no call');
    place.parse(use.input);
    const result = [{ type: 'tool_result' as const, tool_use_id: use.id, content: '19 degrees' }];
    const turns = [
      ...messages,
      { role: 'assistant' as const, content: called.content },
      { role: 'user' as const, content: result },
    ];
    const answer = await anthropic.messages.create({ ...message, tools, messages: turns });
    expect(answer).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text' }] });
  });

  test('with generateContent', async () => {
    const tools = [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: parameters }] }];
    const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } };
    const called = await gemini.models.generateContent({ ...contents, config: { tools, toolConfig } });
    const [call] = called.functionCalls ?? [];
    expect(call?.name).toBe('get_weather');
    place.parse(call?.args);
    const functionResponse = { name: 'get_weather', response: { output: '19 degrees' } };
    const turns = [
      { role: 'user', parts: [{ text: content }] },
      { role: 'model', parts: [{ functionCall: call ?? {} }] },
      { role: 'user', parts: [{ functionResponse }] },
    ];
    const answer = await gemini.models.generateContent({ ...contents, contents: turns, config: { tools } });
    expect(answer.text).not.toBe('');
  });
});

test('images and files are accepted in messages, and counted', async () => {
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
  const parts = [{ type: 'text' as const, text: content }, image];
  const asked = { ...chat, messages: [{ role: 'user' as const, content: parts }] };
  const [plain, seen] = await Promise.all([
    openai.chat.completions.create(chat),
    openai.chat.completions.create(asked),
  ]);
  expect(seen.choices[0]?.message.content).toContain('I have looked at the file.');
  expect((seen.usage?.prompt_tokens ?? 0) - (plain.usage?.prompt_tokens ?? 0)).toBe(256);
  const source = { type: 'base64' as const, media_type: 'application/pdf' as const, data: 'JVBERi0=' };
  const document = [
    { type: 'document' as const, source },
    { type: 'text' as const, text: content },
  ];
  const read = await anthropic.messages.create({ ...message, messages: [{ role: 'user', content: document }] });
  expect(read.content[0]).toMatchObject({ text: expect.stringContaining('looked at the file') });
  const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
  const shown = await gemini.models.generateContent({ ...contents, contents: [{ inlineData }, { text: content }] });
  expect(shown.text).toContain('looked at the file');
});

test('each API lists its models, and embeds, and counts', async () => {
  expect((await openai.models.list()).data.map(({ id }) => id)).toContain('gpt-5-mini');
  expect((await openai.models.retrieve('gpt-5')).id).toBe('gpt-5');
  expect((await anthropic.models.list()).data.map(({ id }) => id)).toContain('claude-sonnet-5');
  const listed = [];
  for await (const { name } of await gemini.models.list()) listed.push(name);
  expect(listed).toContain('models/gemini-2.5-flash');
  const embedded = await gemini.models.embedContent({ model: 'gemini-embedding-001', contents: ['one', 'two'] });
  expect(embedded.embeddings?.map(({ values }) => values?.length)).toEqual([768, 768]);
  const counted = await gemini.models.countTokens(contents);
  const whole = await gemini.models.generateContent(contents);
  for (const model of ['gemini-2.5-flash-image', 'gemini-2.5-flash-preview-tts'])
    await expect(gemini.models.generateContent({ ...contents, model })).rejects.toMatchObject({ status: 404 });
  expect(counted.totalTokens).toBe(whole.usageMetadata?.promptTokenCount);
  expect(whole.usageMetadata?.thoughtsTokenCount).toBe(64);
  let streamed = '';
  for await (const chunk of await gemini.models.generateContentStream(contents)) streamed += chunk.text ?? '';
  expect(streamed).toBe(whole.text);
});

test('what was read before is reported as cached', async () => {
  const long = 'The archive of the warehouse. '.repeat(400);
  const whole = await openai.chat.completions.create({
    ...chat,
    messages: [{ role: 'system', content: long }, ...messages],
  });
  expect(whole.usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThanOrEqual(1_024);
  const cache_control = { type: 'ephemeral' as const };
  const text = { type: 'text' as const, text: long, cache_control };
  const read = await anthropic.messages.create({ ...message, system: [text] });
  expect(read.usage.cache_read_input_tokens).toBeGreaterThan(1_024);
  const written = await anthropic.messages.create({ ...message, messages: [{ role: 'user', content: [text] }] });
  expect(written.usage.cache_creation_input_tokens).toBeGreaterThan(1_024);
});

test('completions of the old kind work', async () => {
  const text = await openai.completions.create({ model: 'gpt-3.5-turbo-instruct', prompt: content });
  expect(text.choices[0]?.finish_reason).toBe('length');
});

interface RecordedEvent {
  model: string;
  prompt_tokens: number;
  completion_tokens: number;
  cost_usd: number;
}

test('all that was listed costs what it does, and a path that nobody answers is recorded as the error that it is', async () => {
  const paths = ['/demo/v1/nothing', '/demo-anthropic/v1/nothing', '/demo-gemini/v1/nothing'];
  for (const path of paths) {
    const headers = { 'X-Agent-Name': 'lost', 'X-Session-Id': path };
    const answer = await fetch(proxyUrl + path, { method: 'POST', body: '{}', headers });
    expect(answer.status).toBe(404);
    const recorded = await readPayload(system, answer.headers.get('x-session-id') ?? '');
    expect(recorded).toMatchObject({ http_status: 404, completion_tokens: 0, cost_usd: 0, direction: 'response' });
  }
  const events = await system.api<RecordedEvent[]>('/api/v1/events?limit=100');
  // Counting tokens is free, and so is an error.
  const priced = events.filter(({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens > 0);
  expect(new Set(priced.map(({ model }) => model)).size).toBeGreaterThan(5);
  expect(priced.filter(({ cost_usd }) => cost_usd <= 0)).toEqual([]);
});
