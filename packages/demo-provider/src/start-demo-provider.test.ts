import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDemoProvider } from './start-demo-provider.ts';

const question = 'How should we plan the warehouse migration?';
let provider: Awaited<ReturnType<typeof startDemoProvider>>;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  provider = await startDemoProvider({ host: '127.0.0.1', port: 0, delayMs: 1 });
  openai = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'any', maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: provider.url, apiKey: 'any', maxRetries: 0 });
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
    const first = await openai.embeddings.create({ model: 'text-embedding-3-small', input: ['one', 'two'] });
    const again = await openai.embeddings.create({
      model: 'text-embedding-3-small',
      input: 'one',
      encoding_format: 'float',
    });
    expect(first.data.map((each) => each.embedding.length)).toEqual([1_536, 1_536]);
    const [decoded, plain] = [first.data[0]?.embedding ?? [], again.data[0]?.embedding ?? []];
    expect(decoded[0]).toBeCloseTo(plain[0] ?? Number.NaN, 6);
    expect(Math.hypot(...plain)).toBeCloseTo(1, 9);
    const ids = await openai.embeddings.create({ model: 'm', input: [11, 12, 13], dimensions: 8 });
    expect([ids.data[0]?.embedding.length, ids.usage.prompt_tokens]).toEqual([8, 3]);
  });

  test('lists models', async () => {
    const models = await openai.models.list();
    expect(models.data.map((model) => model.id)).toContain('gpt-5-mini');
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

  test('lists models, and raises its own error class for a refused request', async () => {
    expect((await anthropic.models.list()).data.map((model) => model.id)).toContain('claude-sonnet-5');
    const empty = anthropic.messages.create({ ...asked, messages: [] });
    await expect(empty).rejects.toThrow(Anthropic.BadRequestError);
  });
});

describe('bad input', () => {
  test('that is not JSON gets 400 in the shape of the API that was called', async () => {
    const openaiError = await post('/v1/chat/completions', '{"model":');
    expect(openaiError.status).toBe(400);
    expect(openaiError.json).toEqual({ error: expect.objectContaining({ type: 'invalid_request_error' }) });
    const anthropicError = await post('/v1/messages', '{"model":');
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
    expect((await post('/v1/messages/nothing', '{}')).json).toMatchObject({ error: { type: 'not_found_error' } });
  });
});
