import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDemoProvider } from './start-demo-provider.ts';

const hello = { model: 'gpt-5-mini', messages: [{ role: 'user' as const, content: 'Hello' }] };
const question = 'How should we plan the warehouse migration?';
let provider: Awaited<ReturnType<typeof startDemoProvider>>;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  provider = await startDemoProvider({ host: '127.0.0.1', port: 0, delayMs: 1 });
  openai = new OpenAI({ baseURL: `${provider.url}/openai/v1`, apiKey: 'any', maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: `${provider.url}/anthropic`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => provider.stop());

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(provider.url + path, { method: 'POST', body, headers });
  return { status: response.status, json: (await response.json()) as Record<string, unknown>, response };
}

describe('the official OpenAI client', () => {
  const chat = { model: 'gpt-5-mini', messages: [{ role: 'user' as const, content: question }] };

  test('gets the same chat answer and usage whether streamed or not', async () => {
    const { data: whole, request_id: requestId } = await openai.chat.completions.create(chat).withResponse();
    expect(requestId).toMatch(/^req_[0-9a-f]{32}$/);
    expect(whole.model).toBe('gpt-5-mini');
    expect(whole.choices[0]?.message.content?.split(' ').length).toBeGreaterThan(20);
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    const stream = { ...chat, stream: true as const, stream_options: { include_usage: true } };
    for await (const chunk of await openai.chat.completions.create(stream)) chunks.push(chunk);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
      whole.choices[0]?.message.content,
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(whole.usage?.total_tokens).toBe((whole.usage?.prompt_tokens ?? 0) + (whole.usage?.completion_tokens ?? 0));
  });

  test('gets no usage member in a chat stream that did not ask for it', async () => {
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of await openai.chat.completions.create({ ...chat, stream: true })) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(20);
    expect(chunks.filter((chunk) => 'usage' in chunk)).toEqual([]);
  });

  test('gets an answer cut at max_tokens', async () => {
    const cut = await openai.chat.completions.create({ ...chat, max_completion_tokens: 7 });
    expect(cut.choices[0]?.finish_reason).toBe('length');
    expect(cut.usage?.completion_tokens).toBe(7);
  });

  test('gets the same response whether streamed or not', async () => {
    const asked = { model: 'gpt-5', instructions: 'Be brief.', input: question };
    const whole = await openai.responses.create(asked);
    const stream = openai.responses.stream(asked);
    let streamed = '';
    stream.on('response.output_text.delta', (event) => {
      streamed += event.delta;
    });
    const final = await stream.finalResponse();
    expect(streamed).toBe(whole.output_text);
    expect(final.usage).toEqual(whole.usage);
    expect(final.status).toBe('completed');
  });

  test('gets embeddings of the dimension asked for, the same for the same text', async () => {
    const model = 'text-embedding-3-small';
    const first = await openai.embeddings.create({ model, input: ['one', 'two'] });
    const again = await openai.embeddings.create({ model, input: 'one', encoding_format: 'float' });
    expect(first.data.map((each) => each.embedding.length)).toEqual([1_536, 1_536]);
    const [decoded, plain] = [first.data[0]?.embedding ?? [], again.data[0]?.embedding ?? []];
    expect(decoded[0]).toBeCloseTo(plain[0] ?? Number.NaN, 6);
    expect(Math.hypot(...plain)).toBeCloseTo(1, 9);
    const ids = await openai.embeddings.create({ model: 'm', input: [11, 12, 13], dimensions: 8 });
    expect([ids.data[0]?.embedding.length, ids.usage.prompt_tokens]).toEqual([8, 3]);
  });

  test('raises its own error class for a refused request', async () => {
    const empty = openai.chat.completions.create({ model: 'gpt-5', messages: [] });
    await expect(empty).rejects.toThrow(OpenAI.BadRequestError);
    await expect(openai.get('/nothing')).rejects.toThrow(OpenAI.NotFoundError);
  });
});

describe('the official Anthropic client', () => {
  const asked = {
    model: 'claude-sonnet-5',
    max_tokens: 500,
    system: 'You plan moves.',
    messages: [{ role: 'user' as const, content: question }],
  };

  test('gets the same message and usage whether streamed or not', async () => {
    const { data: whole, request_id: requestId } = await anthropic.messages.create(asked).withResponse();
    expect(requestId).toMatch(/^req_[0-9a-f]{32}$/);
    const final = await anthropic.messages.stream(asked).finalMessage();
    expect(final.content).toEqual(whole.content);
    expect(final.stop_reason).toBe('end_turn');
    expect(final.usage).toEqual(whole.usage);
  });

  test('counts as many input tokens as the message then costs', async () => {
    const { max_tokens: _, ...countable } = asked;
    const count = await anthropic.messages.countTokens(countable);
    const whole = await anthropic.messages.create(asked);
    expect(count.input_tokens).toBe(whole.usage.input_tokens);
  });

  test('raises its own error class for a refused request', async () => {
    const empty = anthropic.messages.create({ ...asked, messages: [] });
    await expect(empty).rejects.toThrow(Anthropic.BadRequestError);
  });
});

describe('bad input', () => {
  test('that is not JSON gets 400 in the shape of the API that was called', async () => {
    const openaiError = await post('/v1/chat/completions', '{"model":');
    expect(openaiError.status).toBe(400);
    expect(openaiError.json).toEqual({ error: expect.objectContaining({ type: 'invalid_request_error' }) });
    const anthropicError = await post('/anthropic/v1/messages', '{"model":');
    expect(anthropicError.status).toBe(400);
    expect(anthropicError.json).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(anthropicError.json.request_id).toBe(anthropicError.response.headers.get('request-id'));
  });

  test('that lacks the model names the field', async () => {
    const { status, json } = await post('/v1/chat/completions', '{"messages":[{"role":"user","content":"a"}]}');
    expect([status, json]).toMatchObject([400, { error: { param: 'model' } }]);
  });

  test('on an unknown path gets 404', async () => {
    expect((await post('/v1/nothing', '{}')).json).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect((await post('/anthropic/v1/nothing', '{}')).json).toMatchObject({ error: { type: 'not_found_error' } });
    expect(await post('/gemini/v1beta/models/any:sing', '{}')).toMatchObject({
      status: 404,
      json: { error: { code: 404, status: 'NOT_FOUND' } },
    });
    expect((await post('/__proto__/v1/models', '{}')).status).toBe(404);
  });

  test.each<[string, Record<string, string>, string]>([
    ['a status that is no error', { 'X-Demo-Status': '200' }, 'x-demo-status'],
    ['a delay of a day', { 'X-Demo-Delay-Ms': '86400000' }, 'x-demo-delay-ms'],
    ['a stream of a day', { 'X-Demo-Stream-Seconds': '86400' }, 'x-demo-stream-seconds'],
    ['another break', { 'X-Demo-Break': 'lunch' }, 'x-demo-break'],
  ])('in a header, %s, is refused by its name', async (_, headers, param) => {
    const answer = await post('/openai/v1/chat/completions', JSON.stringify(hello), headers);
    expect(answer).toMatchObject({ status: 400, json: { error: { param } } });
  });

  test('that asks for too many numbers gets 400', async () => {
    const input = Array.from({ length: 2_000 }, () => 'one');
    const body = JSON.stringify({ model: 'text-embedding-3-small', input, dimensions: 4_096 });
    expect(await post('/openai/v1/embeddings', body)).toMatchObject({
      status: 400,
      json: { error: { param: 'input' } },
    });
  });

  test('a body beyond 32 MiB gets 413', async () => {
    const body = `"${'x'.repeat(32 * 1024 * 1024)}"`;
    expect((await post('/openai/v1/chat/completions', body)).status).toBe(413);
  });
});

describe('on request', () => {
  const path = '/openai/v1/chat/completions';
  const stream = JSON.stringify({ ...hello, stream: true });
  const ask = (body: string, headers: Record<string, string>, signal: AbortSignal | null = null) =>
    fetch(provider.url + path, { method: 'POST', body, headers, signal });

  test.each([
    ['/openai/v1/chat/completions', 429, { error: { type: 'rate_limit_error' } }],
    ['/anthropic/v1/messages', 529, { error: { type: 'overloaded_error' } }],
    ['/gemini/v1/models/m:generateContent', 500, { error: { code: 500, status: 'INTERNAL' } }],
  ])('%s fails with %i in its own shape', async (at, status, json) => {
    const body = JSON.stringify({ ...hello, max_tokens: 5, contents: [{ parts: [{ text: 'Hello' }] }] });
    const failed = await post(at, body, { 'X-Demo-Status': String(status) });
    expect(failed).toMatchObject({ status, json });
    expect(failed.response.headers.has('retry-after')).toBe(status !== 500);
  });

  test('words in the prompt do the same as a header', async () => {
    const messages = [{ role: 'user', content: 'Please answer with X-Demo-Status: 503 now' }];
    expect((await post(path, JSON.stringify({ model: 'm', messages }))).status).toBe(503);
  });

  test('a stream breaks off, with an error or without', async () => {
    const text = await (await ask(stream, { 'X-Demo-Break': 'error' })).text();
    expect(text).toMatch(/"type":"server_error".*\n\n$/);
    expect(text).not.toContain('[DONE]');
    for (const body of [stream, JSON.stringify(hello)])
      await expect((await ask(body, { 'X-Demo-Break': 'cut' })).text()).rejects.toThrow('terminated');
  });

  test('a stream lasts as long, with text to fill it', async () => {
    const began = performance.now();
    const response = await ask(stream, { 'X-Demo-Stream-Seconds': '0.3' });
    const short = (await response.text()).split('\n\n').length;
    // A timer of a busy loop counts from the loop's own, earlier time.
    expect(performance.now() - began).toBeGreaterThan(200);
    const long = new AbortController();
    const minutes = await ask(stream, { 'X-Demo-Stream-Seconds': '600' }, long.signal);
    const reader = minutes.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    long.abort();
    const text = (await openai.chat.completions.create(hello, { headers: { 'X-Demo-Stream-Seconds': '600' } }))
      .choices[0];
    expect(text?.message.content?.split(' ').length).toBeGreaterThan(Math.max(short, 3_000));
  });
});
