import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorTable } from '@agp/core/errors';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { workspaceFolder } from '../workspace/run-tool.ts';
import { bedrockClients } from './clients/bedrock.ts';
import type { HurriedCall, HurriedResult } from './clients/hurried-clients.ts';
import { clients } from './clients/list-clients.ts';

let provider: FakeProvider;
/** Stands before the proxy, and passes everything on. */
let counter: FakeProvider;
let system: System;
let worker: Worker;
const results = new Map<string, HurriedResult>();

beforeAll(async () => {
  provider = await startFakeProvider((request, index) =>
    request.method === 'GET' ? { body: {} } : answerCanned()(request, index),
  );
  const providers = ['OPENAI', 'ANTHROPIC', 'GEMINI', 'BEDROCK'].map((id) => [`PROVIDER_${id}_URL`, provider.url]);
  system = await startSystem({ environment: Object.fromEntries(providers) });
  counter = await startFakeProvider(async ({ method, target, headers, body }) => {
    const { host: _, connection: __, 'content-length': ___, expect: ____, ...passed } = headers;
    const [, run = '', ...path] = target.split('/');
    const sent = { ...(passed as Record<string, string>), [runHeader]: run };
    const init = { method, headers: sent, ...(method === 'POST' ? { body } : {}) };
    const answer = await fetch(`${system.proxies[0]?.url}/${path.join('/')}`, init as RequestInit);
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  });
  // Its output is not ours: some clients print each error.
  worker = new Worker(new URL('./clients/hurried-clients.ts', import.meta.url), { stdout: true, stderr: true });
  worker.on('message', (result: HurriedResult) => results.set(result.id, result));
});
afterAll(async () => {
  await worker?.terminate();
  await system?.[Symbol.asyncDispose]();
  await Promise.all([counter?.stop(), provider?.stop()]);
});

/** By it the provider knows a run, which begins the path that the counter is sent. */
const runHeader = 'x-test-run';

async function countRequests({ name, provider: id }: Hurried, agent: string) {
  const run = randomUUID();
  const baseUrl = `${counter.url}/${run}/agents/${encodeURIComponent(agent)}/${id}`;
  worker.postMessage({ id: run, client: name, target: { baseUrl, headers: {} } } satisfies HurriedCall);
  const { error } = await waitFor(`${name} to give up`, () => results.get(run));
  const requests = counter.requests.filter(({ target }) => target.startsWith(`/${run}/`)).length;
  const passed = provider.requests.filter(({ headers }) => headers[runHeader] === run).length;
  return { error, requests, passed };
}

/** How often a request is sent in all; the page about clients has the same rows. */
const table: { clients: string; named: RegExp; counts: Record<Refusal, number> }[] = [
  {
    clients: 'OpenAI, its Agents SDK, Anthropic',
    named: /^(?:openai|anthropic) /,
    counts: { cap: 1, blocked: 1, limit: 3, paused: 3 },
  },
  { clients: 'Google, Mastra', named: /^(?:google|mastra) /, counts: { cap: 1, blocked: 1, limit: 1, paused: 1 } },
  { clients: 'Vercel', named: /^vercel /, counts: { cap: 3, blocked: 1, limit: 3, paused: 3 } },
  {
    clients: 'LangChain for OpenAI, Anthropic',
    named: /^langchain (?!google)/,
    counts: { cap: 1, blocked: 1, limit: 7, paused: 7 },
  },
  { clients: 'LangChain for Google', named: /^langchain google/, counts: { cap: 1, blocked: 1, limit: 1, paused: 7 } },
  {
    clients: 'LlamaIndex for OpenAI',
    named: /^llamaindex openai/,
    counts: { cap: 1, blocked: 1, limit: 11, paused: 11 },
  },
  {
    clients: 'LlamaIndex for Anthropic',
    named: /^llamaindex anthropic/,
    counts: { cap: 1, blocked: 1, limit: 3, paused: 3 },
  },
  { clients: 'boto3', named: /^bedrock boto3/, counts: { cap: 1, blocked: 1, limit: 5, paused: 5 } },
  { clients: 'Others at Bedrock', named: /^bedrock /, counts: { cap: 1, blocked: 1, limit: 3, paused: 3 } },
];

type Refusal = keyof typeof refusals;

const refusals = {
  cap: { change: 'daily_cap_usd = 0', text: errorTable.agent_budget_exceeded.message },
  blocked: { change: "status = 'blocked'", text: errorTable.agent_blocked.message },
  limit: { change: 'requests_per_minute = 1', text: errorTable.rate_limited.message },
  paused: { change: '', text: errorTable.paused.message },
};

type Hurried = { name: string; provider: string };

const ofBedrock = bedrockClients.map(({ name }) => ({ name: `bedrock ${name}`, provider: 'bedrock' }));

const rows = [...clients, ...ofBedrock].map((client: Hurried) => {
  const row = table.find(({ named }) => named.test(client.name));
  if (!row) throw new Error(`no row for ${client.name}`);
  return { name: client.name, client, counts: row.counts };
});

describe.concurrent.each(['cap', 'blocked', 'limit'] as const)('refused: %s', (refusal) => {
  const { change, text } = refusals[refusal];

  test.each(rows)('$name', async ({ name, client, counts }) => {
    const agent = `${refusal} ${name}`;
    const headers = { 'X-Agent-Name': agent };
    await (await fetch(`${system.proxies[0]?.url}/openai/v1/models`, { headers })).text();
    await system.database.pool.query(`UPDATE agents SET ${change} WHERE name = $1`, [agent]);
    // The first of a new minute passes; in the day's last minute clients wait for a daily cap to end.
    const { error, requests } = await waitFor('a run without an answer', async () => {
      const isLastMinute = new Date().toISOString().slice(11, 16) === '23:59';
      const counted = await countRequests(client, agent);
      return counted.passed === 0 && !isLastMinute && counted;
    });
    expect(error).toContain(text);
    expect(requests).toBe(counts[refusal]);
  });
});

describe('refused: paused', () => {
  test.each(rows)('$name', async ({ client, counts }) => {
    await system.api('/api/v1/pause', { method: 'PUT', body: JSON.stringify({ paused: true }) });
    const { error, requests } = await countRequests(client, 'paused');
    expect(error).toContain(refusals.paused.text);
    expect(requests).toBe(counts.paused);
  });
});

test('the page about clients has this table', () => {
  const page = readFileSync(join(workspaceFolder, 'docs/clients.md'), 'utf8');
  const shown = [...page.matchAll(/^\| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm)];
  expect(shown.map(([, names, ...counts]) => [names, ...counts.map(Number)])).toEqual(
    table.map(({ clients: names, counts: { cap, blocked, limit, paused } }) => [names, cap, blocked, limit, paused]),
  );
});
