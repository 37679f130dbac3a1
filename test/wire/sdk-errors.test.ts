import { randomUUID } from 'node:crypto';
import { errorTable } from '@agp/core/errors';
import {
  answerFault,
  errorStatuses,
  type FakeProvider,
  type Fault,
  faultHeader,
  refusal,
  startFakeProvider,
} from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import type { Asker } from './sdks/asker.ts';
import type { Target } from './sdks/call.ts';
import { findDifferences } from './sdks/find-differences.ts';
import { frameworkAskers } from './sdks/framework-askers.ts';
import { officialAskers } from './sdks/official-askers.ts';
import { toComparable } from './sdks/to-comparable.ts';

const askers = [...officialAskers, ...frameworkAskers];
const streaming = askers.filter(({ streams }) => streams);

/** What clients make up themselves or measure. */
const volatileNames = /(?:^|\.)(?:id|callId|lc_kwargs\.id|timestamp|performance\..*)$/;

/** How long a silent provider is waited for, in milliseconds: long enough for the request to reach it on a busy machine. */
const patienceMs = 2_000;

/** By it the provider knows a request. */
const runHeader = 'x-test-run';

let fake: FakeProvider;
let system: System;
beforeAll(async () => {
  fake = await startFakeProvider(answerFault());
  const environment = {
    PROVIDER_OPENAI_URL: fake.url,
    PROVIDER_ANTHROPIC_URL: fake.url,
    PROVIDER_GEMINI_URL: fake.url,
  };
  system = await startSystem({ environment });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await fake?.stop();
});

type Ending = 'by itself' | 'the client gives up' | 'the caller ends it' | 'the caller ends it within the stream';

/** Everything that a client shows of a question, and what it throws in the end. */
async function observe({ ask }: Asker, target: Target, ending: Ending): Promise<unknown> {
  const shown: unknown[] = [];
  const controller = new AbortController();
  const within = ending === 'the caller ends it within the stream';
  const show = (part: unknown) => {
    shown.push(toComparable(part, target.baseUrl));
    if (within && JSON.stringify(shown.at(-1)).includes(' answer')) controller.abort();
  };
  const options: Pick<Target, 'signal' | 'timeoutMs'> = {};
  if (ending === 'the client gives up') options.timeoutMs = patienceMs;
  if (ending === 'the caller ends it' || within) options.signal = controller.signal;
  const run = randomUUID();
  const asking = ask({ ...target, ...options, headers: { ...target.headers, [runHeader]: run } }, show).then(
    () => 'nothing',
    (error: unknown) => toComparable(error, target.baseUrl),
  );
  if (ending === 'the caller ends it') {
    await waitFor('the request', () => fake.requests.some(({ headers }) => headers[runHeader] === run));
    controller.abort();
  }
  return { shown, thrown: await asking };
}

/**
 * Fails directly and through the proxy: only in what differs from call to call may they differ.
 *
 * @returns what the client showed of the proxied one, as JSON, and the payload of its event
 */
async function expectSame(asker: Asker, fault: Fault, ending: Ending = 'by itself') {
  const sessionId = `ses_${randomUUID()}`;
  const direct: Target = { baseUrl: fake.url, headers: { [faultHeader]: fault } };
  const proxied: Target = {
    baseUrl: `${system.proxies[0]?.url}/${asker.provider}`,
    headers: { ...direct.headers, 'X-Agent-Name': 'failing', 'X-Session-Id': sessionId },
  };
  const before = await observe(asker, direct, ending);
  const through = await observe(asker, proxied, ending);
  for (const path of findDifferences(before, through)) expect(path).toMatch(volatileNames);
  return { observed: JSON.stringify(through), payload: await readPayload(system, sessionId) };
}

const noFigures = { total_tokens: 0, cost_usd: 0, usage_source: 'none' };

/** The provider had the request: its input costs something, whoever left. */
function expectInput(payload: Record<string, unknown>): void {
  expect(payload).toMatchObject({
    direction: 'request',
    outcome: 'aborted',
    usage_source: 'estimated',
    completion_tokens: 0,
  });
  expect(payload.prompt_tokens).toBeGreaterThan(0);
  expect(payload.cost_usd).toBeGreaterThan(0);
}

/** Those that clients treat in a way of their own; the others differ in their number alone. */
const toldByAll = [401, 429, 500];

describe.concurrent.each(errorStatuses)('a provider error %i', (status) => {
  test.each(toldByAll.includes(status) ? askers : officialAskers)('$name fails the same', async (asker) => {
    const { observed, payload } = await expectSame(asker, `${status}`);
    expect(observed).toContain(refusal);
    expect(observed).toContain(`${status}`);
    expect(payload).toMatchObject({ direction: 'response', http_status: status, outcome: 'completed', ...noFigures });
  });
});

describe.concurrent('an error page of a server before the provider', () => {
  test.each(askers)('$name fails the same', async (asker) => {
    const { observed, payload } = await expectSame(asker, 'html');
    expect(observed).toContain('502');
    expect(payload).toMatchObject({ direction: 'response', http_status: 502, ...noFigures });
  });
});

describe.concurrent('an error within the stream', () => {
  test.each(streaming)('$name fails the same', async (asker) => {
    const { observed, payload } = await expectSame(asker, 'error event');
    expect(observed).toContain(refusal);
    expect(payload).toMatchObject({ direction: 'response', http_status: 200, outcome: 'failed' });
  });
});

describe.concurrent('a connection that the provider cuts', () => {
  test.each(streaming)('$name fails the same', async (asker) => {
    const { observed, payload } = await expectSame(asker, 'cut');
    expect(observed).toContain(' answer');
    expect(payload).toMatchObject({ direction: 'response', http_status: 200, outcome: 'failed' });
  });
});

describe.concurrent('a provider that says nothing', () => {
  test.each(askers)('$name gives up the same', async (asker) => {
    const { observed, payload } = await expectSame(asker, 'silence', 'the client gives up');
    expect(observed).toMatch(/timeout|timed out|abort/i);
    expectInput(payload);
  });

  test.each(askers)('$name is ended by its caller the same', async (asker) => {
    const { observed, payload } = await expectSame(asker, 'silence', 'the caller ends it');
    expect(observed).toMatch(/abort/i);
    expectInput(payload);
  });
});

describe.concurrent('a stream that its caller ends', () => {
  test.each(streaming)('$name ends the same', async (asker) => {
    const { observed, payload } = await expectSame(asker, 'stall', 'the caller ends it within the stream');
    expect(observed).toContain(' answer');
    expect(payload).toMatchObject({ direction: 'response', outcome: 'aborted', usage_source: 'estimated' });
    expect(payload.completion_tokens).toBeGreaterThan(0);
  });
});

/** Each `message` of all errors among it, and of their causes. */
function listMessages(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const found = Object.values(value).flatMap(listMessages);
  return 'message' in value && '#class' in value ? [String(value.message), ...found] : found;
}

const proxyRefusals = [
  { text: errorTable.agent_blocked.message, status: 403, column: "status = 'blocked'" },
  { text: 'daily budget exceeded: cap 0 USD, spent 0', status: 429, column: 'daily_cap_usd = 0' },
];

describe.concurrent.each(proxyRefusals)('a refusal of the proxy: $text', ({ text, column, status }) => {
  test.each(askers)('$name raises it as an error that says so', async (asker) => {
    const name = `refused ${status} ${asker.name}`;
    const target = { baseUrl: `${system.proxies[0]?.url}/${asker.provider}`, headers: { 'X-Agent-Name': name } };
    await fetch(`${target.baseUrl}/v1/models`, target);
    await system.database.pool.query(`UPDATE agents SET ${column} WHERE name = $1`, [name]);
    const messages = listMessages(await observe(asker, target, 'by itself'));
    expect(messages.join('\n')).toContain(text);
  });
});
