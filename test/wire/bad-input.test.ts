import type { Agent } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { refusalText } from '@agp/testing';
import { type ChainEntry, findDivergence } from '@agp/testing/events';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { badCalls, toManagementRequest } from './bad-input/management-requests.ts';
import { badAnswers } from './bad-input/provider-answers.ts';
import { badBodies } from './bad-input/proxy-bodies.ts';
import { badHeads } from './bad-input/proxy-heads.ts';
import { type BadRequest, type RawAnswer, sendRaw, write } from './bad-input/send-raw.ts';
import { type RawProvider, startRawProvider } from './bad-input/start-raw-provider.ts';

let fake: FakeProvider;
let raw: RawProvider;
let system: System;
let proxyUrl: string;
let agentId: string;
/** What every forwarded request's answer said its event was. */
const announced: string[] = [];
/** Forwarded, but their senders were gone before an answer. */
let unannounced = 0;

beforeAll(async () => {
  fake = await startFakeProvider(() => ({
    body: { model: 'gpt-5', usage: { prompt_tokens: 1, completion_tokens: 1 } },
  }));
  raw = await startRawProvider(badAnswers.map(({ answer }) => answer));
  const providers = { PROVIDER_OPENAI_URL: fake.url, PROVIDER_ANTHROPIC_URL: fake.url, PROVIDER_GEMINI_URL: fake.url };
  // What would end a process ends the test here, and an error that nobody catches fails the run.
  system = await startSystem({
    environment: { ...providers, PROVIDER_RAW_URL: raw.url, MAX_REQUEST_BYTES: String(2 * 1024 * 1024) },
  });
  proxyUrl = system.proxies[0]?.url ?? '';
  const first = await sendGood('owner', 'ses_taken');
  agentId = first?.headers.get('x-agent-id') ?? '';
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await raw?.[Symbol.asyncDispose]();
  await fake?.stop();
});

async function sendGood(agent: string, session: string): Promise<RawAnswer | null> {
  const headers = ['Content-Type: application/json', `X-Agent-Name: ${agent}`, `X-Session-Id: ${session}`];
  const answer = await sendRaw(proxyUrl, [write('POST /openai/v1/chat/completions', headers, '{"model":"gpt-5"}')]);
  expect(answer?.status).toBe(200);
  noteEvent(answer);
  return answer;
}

function noteEvent(answer: RawAnswer | null): void {
  const id = answer?.headers.get('x-event-id');
  if (id) announced.push(id);
}

function expectAnswer(answer: RawAnswer | null, { status, error }: BadRequest): void {
  expect([answer?.status ?? null, answer?.body.slice(0, 300)]).toEqual([status, expect.anything()]);
  if (status === null || !error) return;
  expect(answer?.headers.get('content-type')).toMatch(/^application\/json/);
  expect(refusalText(answer?.body ?? '')).toMatch(error);
}

describe('a head that the proxy refuses', () => {
  test.each(badHeads)('$name', async (row) => {
    const answer = await sendRaw(proxyUrl, row.request);
    if (row.status === null) expect(answer).toBeNull();
    else expectAnswer(answer, row);
    expect(answer?.headers.get('x-event-id')).toBeUndefined();
  });
});

describe('a body that the proxy forwards or refuses', () => {
  test.each(badBodies)('$name', async (row) => {
    const before = fake.begun;
    const answer = await sendRaw(proxyUrl, row.request, () => fake.begun > before);
    expectAnswer(answer, row);
    noteEvent(answer);
    if (row.recorded && !answer?.headers.has('x-event-id')) unannounced += 1;
    expect(Boolean(answer?.headers.has('x-event-id'))).toBe(row.status === 200 || row.recorded === 'answered');
  });
});

describe('an answer of a provider', () => {
  test.each(badAnswers.map((row, index) => ({ ...row, index })))('$name', async ({ index, status, payload }) => {
    const headers = ['Content-Type: application/json', `X-Session-Id: ses_answer-${index}`];
    const line = `POST /raw/v1/chat/completions?case=${index}`;
    const answer = await sendRaw(proxyUrl, [write(line, headers, '{"model":"asked","messages":[{"content":"x"}]}')]);
    expect(answer?.status).toBe(status);
    noteEvent(answer);
    const recorded = await readPayload(system, `ses_answer-${index}`);
    expect(recorded).toMatchObject({ ...payload, id: answer?.headers.get('x-event-id') });
  });
});

describe('a call of the management API', () => {
  test.each(badCalls)('$name', async (call) => {
    const row = toManagementRequest(call, system.apiKey, agentId);
    const answer = await sendRaw(system.management.url, row.request);
    expectAnswer(answer, row);
    if (row.status === 405) expect(answer?.headers.get('allow')).toMatch(/[A-Z]/);
  });

  const unreadable = badHeads.filter(({ error }) => error?.source.startsWith('malformed HTTP'));
  test.each(unreadable)('that is none: $name', async ({ request }) => {
    const answer = await sendRaw(system.management.url, request);
    // Where only the body is malformed, the unknown path gets its 404 first.
    expect(answer?.status).toBeOneOf([400, 404]);
    expect(JSON.parse(answer?.body ?? '')).toEqual({
      error: expect.stringMatching(/^malformed HTTP request: .|^not found(?:$|: this is the management API)/),
    });
  });
});

describe('a port that no agent uses', () => {
  test.each(['TRACE /', 'TRACE /api/v1/agents', 'POST /metrics', 'OPTIONS /healthz'])(
    'answers %s with a refusal',
    async (line) => {
      const ports = [...system.proxies, ...system.writers, system.management].map(({ opsUrl }) => opsUrl);
      if (!/metrics|healthz/.test(line)) ports.push(system.management.url);
      for (const port of ports) {
        const answer = await sendRaw(port, [write(line)]);
        expect([answer?.status, answer?.body]).toEqual([405, '{"error":"method not allowed"}']);
        expect(answer?.headers.get('allow')).toMatch(/^GET, HEAD/);
      }
    },
  );

  test.each([
    ['Host: evil.test', 421],
    ['Origin: https://evil.test', 403],
    ['Sec-Fetch-Site: cross-site', 403],
  ])('refuses a page of another site: %s', async (header, status) => {
    const host = header.startsWith('Host') ? header : `Host: localhost\r\n${header}`;
    const ports = [...system.proxies, ...system.writers, system.management].map(({ opsUrl }) => opsUrl);
    for (const port of [...ports, system.management.url]) {
      const answer = await sendRaw(port, [`GET /metrics HTTP/1.1\r\n${host}\r\n\r\n`]);
      expect([answer?.status, JSON.parse(answer?.body ?? '')]).toEqual([status, { error: expect.any(String) }]);
    }
  });
});

describe('afterwards', () => {
  test('each forwarded request has exactly one event, and no other request has any', async () => {
    const expected = announced.length + unannounced;
    const read = async () => (await system.database.pool.query<{ id: string }>('SELECT id FROM events')).rows;
    const rows = await waitFor(`${expected} events`, async () => {
      const found = await read();
      return found.length >= expected && found;
    });
    expect(rows).toHaveLength(expected);
    expect(new Set(announced).size).toBe(announced.length);
    expect(rows.map(({ id }) => toPublicId('evt', id))).toEqual(expect.arrayContaining(announced));
    expect((await system.database.pool.query('SELECT code, reason FROM quarantine')).rows).toEqual([]);
  });

  test('every chain verifies', async () => {
    const { rows } = await system.database.pool.query<ChainEntry & { id: string; session_id: string }>(
      'SELECT id, session_id, seq, lineage_hash, payload FROM events ORDER BY session_id, seq',
    );
    const chains = Map.groupBy(rows, ({ session_id }) => session_id);
    expect(chains.size).toBeGreaterThan(20);
    for (const [sessionId, chain] of chains) {
      const entries = chain.map((row) => ({ ...row, event_id: toPublicId('evt', row.id) }));
      expect([sessionId, findDivergence(sessionId, entries)]).toEqual([sessionId, null]);
    }
  });

  test('only agents that were let in are registered, and none has changed', async () => {
    const agents = await system.api<Agent[]>('/api/v1/agents');
    expect(agents.map(({ name }) => name).sort()).toEqual(['owner', 'thief', 'unnamed-127.0.0.1']);
    for (const agent of agents) expect(agent).toMatchObject({ status: 'active', metadata: {} });
    expect(await system.api<unknown[]>('/api/v1/keys')).toHaveLength(1);
  });

  test('the services are as they were', async () => {
    await sendGood('owner', 'ses_afterwards');
    expect(await readPayload(system, 'ses_afterwards')).toMatchObject({ outcome: 'completed', seq: 0 });
  });
});
