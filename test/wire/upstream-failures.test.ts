import { createHash, randomUUID } from 'node:crypto';
import type { CostSummary } from '@agp/core/contracts';
import { errorTable } from '@agp/core/errors';
import { refusalText } from '@agp/testing';
import { answerCanned, type FakeProvider, type FakeReply, type Step, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPayload, readPayloads } from '../system/read-payload.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { openExchange, readAnswer } from './transparency/exchange-bytes.ts';

let fake: FakeProvider;
let patient: System;
/** Gives providers up after a second, and records both halves of each request. */
let impatient: System;

beforeAll(async () => {
  fake = await startFakeProvider(answerCanned());
  const gone = await startFakeProvider(() => ({}));
  await gone.stop();
  const providers = { PROVIDER_OPENAI_URL: fake.url, PROVIDER_ANTHROPIC_URL: fake.url, PROVIDER_GONE_URL: gone.url };
  [patient, impatient] = await Promise.all([
    startSystem({ environment: { ...providers, PROVIDER_NOWHERE_URL: 'http://nowhere.invalid' } }),
    startSystem({ environment: { ...providers, UPSTREAM_TIMEOUT_SECONDS: '4', AUDIT_DIRECTIONS: 'both' } }),
  ]);
});
afterAll(async () => {
  await Promise.all([patient, impatient].map((system) => system?.[Symbol.asyncDispose]()));
  await fake?.stop();
});

const chat = ['openai', '/v1/chat/completions'] as const;
const messages = ['anthropic', '/v1/messages'] as const;
const content = 'How many words are in this question, roughly?';

function send(system: System, [provider, target]: readonly [string, string], stream: boolean, signal?: AbortSignal) {
  const sessionId = `ses_${randomUUID()}`;
  const headers = ['Content-Type', 'application/json', 'X-Agent-Name', 'unlucky', 'X-Session-Id', sessionId];
  const body = Buffer.from(JSON.stringify({ model: 'gpt-5', stream, messages: [{ role: 'user', content }] }));
  const url = `${system.proxies[0]?.url}/${provider}`;
  return { sessionId, answer: openExchange(url, { method: 'POST', target, headers, body }, signal) };
}

const stream = (steps: Step[]): FakeReply => ({ headers: { 'content-type': 'text/event-stream' }, body: { steps } });
const toFrame = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const chatFrames = [' one two', ' three four'].map((text) =>
  toFrame({ model: 'gpt-5', choices: [{ index: 0, delta: { content: text } }] }),
);
const messageFrames = [
  toFrame({
    type: 'message_start',
    message: { model: 'claude-opus-4-5', usage: { input_tokens: 11, output_tokens: 1 } },
  }),
  toFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' one two three four' } }),
];
/** What was streamed, whose prompt the Anthropic stream told before it was cut. */
const cutStreams = [
  { name: 'chat completions', path: chat, frames: chatFrames, expected: { model: 'gpt-5' } },
  {
    name: 'messages',
    path: messages,
    frames: messageFrames,
    expected: { model: 'claude-opus-4-5', prompt_tokens: 11 },
  },
];

const unanswered = {
  direction: 'request',
  model: 'gpt-5',
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cost_usd: 0,
  usage_source: 'none',
  http_status: null,
  first_byte_ms: null,
  response_sha256: null,
};

/** The provider had the request, and may bill it: nobody knows, so its input counts. */
function expectInput(payload: Record<string, unknown>, outcome: string): void {
  const { prompt_tokens: input, total_tokens: total, usage_source: source, cost_usd: cost, ...others } = payload;
  expect({ ...others }).toMatchObject({ direction: 'request', completion_tokens: 0, http_status: null, outcome });
  expect(source).toBe('estimated');
  expect(Number(input)).toBeGreaterThan(0);
  expect([total, Number(cost) > 0]).toEqual([input, true]);
}

function expectEstimated(payload: Record<string, unknown>, received: Buffer, expected: object): void {
  const response_sha256 = createHash('sha256').update(received).digest('hex');
  expect(payload).toMatchObject({ ...expected, direction: 'response', http_status: 200, response_sha256 });
  expect(payload).toMatchObject({ usage_source: 'estimated', completion_tokens: 4 });
  expect(payload.prompt_tokens).toBeGreaterThan(5);
  expect(payload.prompt_tokens).toBeLessThan(40);
  expect(payload.cost_usd).toBeGreaterThan(0);
}

describe('an agent that leaves', () => {
  test.each(cutStreams)(
    'in the middle of $name: the provider is left, what came is recorded',
    async ({ path, frames, expected }) => {
      fake.handle(() => stream([...frames, { pauseMs: 60_000 }]));
      const leave = new AbortController();
      const { sessionId, answer } = send(patient, path, true, leave.signal);
      const chunks: Buffer[] = [];
      for await (const chunk of await answer) {
        chunks.push(chunk as Buffer);
        if (Buffer.concat(chunks).includes('four')) break;
      }
      leave.abort();
      expect(await fake.requests.at(-1)?.aborted).toBe(true);
      const payload = await readPayload(patient, sessionId);
      expectEstimated(payload, Buffer.concat(chunks), { ...expected, outcome: 'aborted' });
    },
  );

  test('before the first byte: the provider is left, and the input counts', async () => {
    fake.handle(() => ({ hang: true }));
    const leave = new AbortController();
    const before = fake.requests.length;
    const { sessionId, answer } = send(patient, chat, true, leave.signal);
    const request = await waitFor('the request at the provider', () => fake.requests[before]);
    leave.abort();
    await expect(answer).rejects.toThrow();
    expect(await request.aborted).toBe(true);
    expectInput(await readPayload(patient, sessionId), 'aborted');
  });
});

describe('a provider that fails', () => {
  test.each(cutStreams)(
    'in the middle of $name: the agent sees a broken connection',
    async ({ path, frames, expected }) => {
      fake.handle(() => stream([...frames, { cut: true }]));
      const { sessionId, answer } = send(patient, path, true);
      const { status, broken, body } = await readAnswer(await answer);
      expect([status, broken, body.toString()]).toEqual([200, true, frames.join('')]);
      expectEstimated(await readPayload(patient, sessionId), body, { ...expected, outcome: 'failed' });
    },
  );

  test('in the middle of a body of known length: the agent sees a broken connection', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': '1000' };
    fake.handle(() => ({ headers, body: { steps: ['{"model":"gpt-5",', { cut: true }] } }));
    const { sessionId, answer } = send(patient, chat, false);
    expect(await readAnswer(await answer)).toMatchObject({ status: 200, broken: true });
    expect(await readPayload(patient, sessionId)).toMatchObject({ direction: 'response', outcome: 'failed' });
  });

  test.each([
    ['is not listening', ['gone', '/v1/chat/completions'], {}],
    ['has no address', ['nowhere', '/v1/chat/completions'], {}],
    ['ends the connection without an answer', chat, { cut: true }],
  ] as const)('that %s: 502 and an event', async (_, path, reply) => {
    fake.handle(() => reply);
    const { sessionId, answer } = send(patient, path, false);
    const { status, headers, body } = await readAnswer(await answer);
    expect([status, refusalText(body)]).toEqual([502, errorTable.provider_unreachable.message]);
    const payload = await readPayload(patient, sessionId);
    if ('cut' in reply) expectInput(payload, 'failed');
    else expect(payload).toMatchObject({ ...unanswered, outcome: 'failed' });
    expect(payload.provider).toBe(path[0]);
    expect(headers).toMatchObject({
      'x-event-id': payload.id,
      'x-agent-id': payload.agent_id,
      'x-session-id': sessionId,
      'x-error-code': 'provider_unreachable',
      'content-type': 'application/json; charset=utf-8',
    });
  });
});

describe('a pair of events for each request', () => {
  async function readPair(sessionId: string): Promise<Record<string, unknown>[]> {
    const pair = await waitFor('both events', async () => {
      const payloads = await readPayloads(impatient, sessionId);
      return (payloads?.length ?? 0) >= 2 && payloads;
    });
    expect(pair).toHaveLength(2);
    return pair.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
  }

  test('of an answered request: the first without figures, the second with the completed ones', async () => {
    fake.handle(answerCanned());
    const { sessionId, answer } = send(impatient, chat, true);
    const { headers } = await readAnswer(await answer);
    const [request, response] = await readPair(sessionId);
    expect(request).toMatchObject({ ...unanswered, outcome: null, timestamp: response?.timestamp });
    expect(response).toMatchObject({
      direction: 'response',
      prompt_tokens: 100,
      completion_tokens: 5,
      cost_usd: 0.000175,
    });
    expect(response).toMatchObject({ id: headers['x-event-id'], outcome: 'completed' });
    expect(request?.producer_seq).toBe(Number(response?.producer_seq) - 1);
  });

  test('of a provider that is silent: 504, and both say that there was no answer', async () => {
    fake.handle(() => ({ hang: true }));
    const { sessionId, answer } = send(impatient, chat, false);
    const { status, body, headers } = await readAnswer(await answer);
    expect([status, refusalText(body)]).toEqual([504, errorTable.provider_timeout.message]);
    const [request, response] = await readPair(sessionId);
    expect(request).toMatchObject({ ...unanswered, outcome: null });
    expectInput(response ?? {}, 'failed');
    expect(response?.id).toBe(headers['x-event-id']);
    expect(await fake.requests.at(-1)?.aborted).toBe(true);
  });

  test('of a stream that falls silent: the agent sees a broken connection', async () => {
    fake.handle(() => stream([...chatFrames, { pauseMs: 60_000 }]));
    const { sessionId, answer } = send(impatient, chat, true);
    const { broken, body } = await readAnswer(await answer);
    expect(broken).toBe(true);
    const [, response] = await readPair(sessionId);
    expectEstimated(response ?? {}, body, { outcome: 'failed' });
  });

  test('counts as one request', async () => {
    const summary = await impatient.api<CostSummary>('/api/v1/costs/summary');
    const { rows } = await impatient.database.pool.query('SELECT count(*) AS events FROM events');
    expect([summary.request_count, rows]).toEqual([3, [{ events: 6 }]]);
    expect(summary.agent_count).toBe(1);
  });
});
