import { randomUUID } from 'node:crypto';
import type { Agent, Event } from '@agp/core/contracts';
import { fromPublicId } from '@agp/core/ids';
import {
  type Aimock,
  aimockAnswer,
  answerCanned,
  type FakeProvider,
  startAimock,
  startFakeProvider,
} from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import type { Outcome, SdkCall, Target } from './sdks/call.ts';
import {
  aimockAnthropic,
  aimockCalls,
  aimockOpenai,
  anthropicCalls,
  type Expected,
  fakeCalls,
  fakeText,
  figures,
  flash,
  geminiCalls,
  gpt5,
  openaiCalls,
  opus,
} from './sdks/cases.ts';
import { findDifferences } from './sdks/find-differences.ts';
import { isMadeRequestId } from './sdks/to-comparable.ts';

/** Names of what may differ from one direct call to the next. */
const volatileNames = /(?:^|\.)(?:id|item_id|_request_id|x-request-id|created|created_at|responseId)$/;
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding', 'date'];
const ours = ['x-agent-id', 'x-session-id', 'x-event-id', 'x-agp-request-id'];

function withoutOwnHeaders({ answer, headers }: Outcome): Outcome {
  // What a web page may read is not for a provider to say.
  const isLeft = (name: string) => [...ofConnection, ...ours].includes(name) || name.startsWith('access-control-');
  const compared = Object.entries(headers).filter(([name, value]) => !isLeft(name) && !isMadeRequestId(name, value));
  return { answer, headers: Object.fromEntries(compared) };
}

/** Calls directly before and after: only where these two differ may the proxied answer differ from them. */
async function expectSameAnswer(call: SdkCall, direct: Target, proxied: Target, text: string): Promise<Outcome> {
  const before = withoutOwnHeaders(await call.run(direct));
  const outcome = await call.run(proxied);
  const after = withoutOwnHeaders(await call.run(direct));
  const volatile = findDifferences(before, after);
  for (const path of volatile) expect(path).toMatch(volatileNames);
  expect(volatile).toEqual(expect.arrayContaining(findDifferences(before, withoutOwnHeaders(outcome))));
  if (!call.name.includes('embeddings')) expect(spokenText(outcome.answer)).toContain(text);
  return outcome;
}

/** Everything that the model says in an answer, deltas put together. */
function spokenText(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return '';
  const parts = Object.entries(answer).map(([name, value]) =>
    typeof value === 'string' && ['text', 'content', 'delta'].includes(name) ? value : spokenText(value),
  );
  return parts.join('');
}

async function readOnlyEvent(system: System, sessionId: string): Promise<Event> {
  const events = await waitFor(`the event of ${sessionId}`, async () => {
    const found = await system.api<Event[]>(`/api/v1/events?session_id=${sessionId}`);
    return found.length > 0 && found;
  });
  expect(events).toHaveLength(1);
  return events[0] as Event;
}

/** The exact decimal that Postgres holds. */
async function readStoredCost(system: System, event: Event): Promise<string | undefined> {
  const { rows } = await system.database.pool.query<{ cost: string }>(
    'SELECT cost_usd::text AS cost FROM events WHERE id = $1',
    [fromPublicId('evt', event.id)],
  );
  return rows[0]?.cost;
}

const inNine = (nano: number) => `${Math.floor(nano / 1e9)}.${String(nano % 1e9).padStart(9, '0')}`;

async function expectRecorded(system: System, call: SdkCall, expected: Expected, sessionId: string, outcome: Outcome) {
  const event = await readOnlyEvent(system, sessionId);
  expect(event).toMatchObject({
    session_id: sessionId,
    direction: 'response',
    provider: call.provider,
    model: expected.model,
    prompt_tokens: expected.prompt,
    completion_tokens: expected.completion,
    total_tokens: expected.prompt + expected.completion,
    cost_usd: expected.nano / 1e9,
    compliance_tag: 'sdk.test',
  });
  expect(await readStoredCost(system, event)).toBe(inNine(expected.nano));
  const { [ours[0] ?? '']: agentId, 'x-session-id': inSession, 'x-event-id': eventId } = outcome.headers;
  expect([agentId, inSession, eventId]).toEqual([event.agent_id, sessionId, event.id]);
  return event;
}

let aimock: Aimock;
let fake: FakeProvider;
let throughAimock: System;
let throughFake: System;

const providers = (url: string) => ({
  PROVIDER_OPENAI_URL: url,
  PROVIDER_ANTHROPIC_URL: url,
  PROVIDER_GEMINI_URL: url,
});

beforeAll(async () => {
  [aimock, fake] = await Promise.all([startAimock(), startFakeProvider(answerCanned(figures))]);
  [throughAimock, throughFake] = await Promise.all([
    startSystem({ environment: providers(aimock.url) }),
    startSystem({ environment: providers(fake.url) }),
  ]);
});
afterAll(async () => {
  await Promise.all([throughAimock, throughFake].map((system) => system?.[Symbol.asyncDispose]()));
  await Promise.all([aimock?.stop(), fake?.stop()]);
});

function proxyTarget(system: System, call: SdkCall, sessionId: string, agentInPath = false): Target {
  const proxy = system.proxies[0]?.url ?? '';
  const path = agentInPath ? `/agents/${encodeURIComponent('Path Agent')}/${call.provider}` : `/${call.provider}`;
  const agent: Record<string, string> = agentInPath ? {} : { 'X-Agent-Name': 'sdk-agent' };
  return {
    baseUrl: `${proxy}${path}`,
    headers: { ...agent, 'X-Session-Id': sessionId, 'X-Compliance-Tag': 'sdk.test' },
    maxRetries: 8,
  };
}

const newSessionId = () => `ses_${randomUUID()}`;

describe.each([
  ["a third party's fake provider", aimockCalls, aimockAnswer.text, () => [throughAimock, aimock.url] as const],
  ['our fake with cached and reasoning tokens', fakeCalls, fakeText, () => [throughFake, fake.url] as const],
])('%s', (_, calls, text, at) => {
  test.each(calls.map(([call, expected]) => ({ name: call.name, call, expected })))(
    '$name: the same answer, and an event with its figures and cost',
    async ({ call, expected }) => {
      const [system, url] = at();
      const sessionId = newSessionId();
      const outcome = await expectSameAnswer(
        call,
        { baseUrl: url, headers: {} },
        proxyTarget(system, call, sessionId),
        text,
      );
      const event = await expectRecorded(system, call, expected, sessionId, outcome);
      const agent = await system.api<Agent>(`/api/v1/agents/${event.agent_id}`);
      expect(agent).toMatchObject({ name: 'sdk-agent', status: 'active', source_ip: '127.0.0.1' });
    },
  );
});

test.each([openaiCalls.chat, openaiCalls.chatStream, anthropicCalls.messagesStream, geminiCalls.generateContent])(
  '$name: the agent named in the base URL',
  async (call) => {
    const sessionId = newSessionId();
    const target = proxyTarget(throughFake, call, sessionId, true);
    const outcome = await expectSameAnswer(call, { baseUrl: fake.url, headers: {} }, target, fakeText);
    const expected = { openai: gpt5, anthropic: opus, gemini: flash, bedrock: opus }[call.provider];
    const event = await expectRecorded(throughFake, call, expected, sessionId, outcome);
    expect(await throughFake.api<Agent>(`/api/v1/agents/${event.agent_id}`)).toMatchObject({ name: 'Path Agent' });
  },
);

test('the OpenAI client may leave out the /v1 of its base URL', async () => {
  const sessionId = newSessionId();
  const target = proxyTarget(throughFake, openaiCalls.chat, sessionId);
  const { default: OpenAI } = await import('openai');
  const openai = new OpenAI({ baseURL: target.baseUrl, apiKey: 'sk-test', defaultHeaders: target.headers });
  const answer = await openai.chat.completions.create({ model: 'gpt-5', messages: [] });
  expect(answer.usage?.prompt_tokens).toBe(gpt5.prompt);
  expect(fake.requests.at(-1)?.target).toBe('/v1/chat/completions');
  expect(await readOnlyEvent(throughFake, sessionId)).toMatchObject({ model: 'gpt-5', cost_usd: gpt5.nano / 1e9 });
});

interface Thrown {
  class: string;
  name: string;
  status: unknown;
  message: string;
  body: unknown;
}

async function catchError(call: SdkCall, target: Target): Promise<Thrown> {
  const error = await call.run(target).then(
    () => new Error('nothing was thrown'),
    (thrown: unknown) => thrown as Error & { status?: unknown; error?: unknown },
  );
  const { status, error: body } = error as { status?: unknown; error?: unknown };
  return { class: error.constructor.name, name: error.name, status, message: error.message, body };
}

test.each([aimockOpenai.chat, aimockOpenai.responsesStream, aimockAnthropic.messages, geminiCalls.generateContent])(
  "$name throws the same on an error of the third party's fake",
  async (call) => {
    const throwOnce = (target: Target) => {
      aimock.mock.nextRequestError(429, { message: 'Too many.', type: 'rate_limit_error', code: 'rate_limited' });
      return catchError(call, target);
    };
    const sessionId = newSessionId();
    const direct = await throwOnce({ baseUrl: aimock.url, headers: {} });
    expect(direct).toMatchObject({ status: 429, message: expect.stringContaining('Too many.') });
    expect(await throwOnce({ ...proxyTarget(throughAimock, call, sessionId), maxRetries: 0 })).toEqual(direct);
    expect(await readOnlyEvent(throughAimock, sessionId)).toMatchObject({ direction: 'response', cost_usd: 0 });
  },
);
