import { refusalText } from '@agp/testing';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { throwKillSwitch } from '../prove/stories/kill-switch.ts';
import { type System, startSystem } from '../system/start-system.ts';

const dispatcher = new Agent();
let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  const answer = answerCanned();
  // Slow enough that requests are in flight while the status changes.
  provider = await startFakeProvider(async (received, index) => ({ ...(await answer(received, index)), pauseMs: 50 }));
  system = await startSystem({ proxies: 2, environment: { PROVIDER_OPENAI_URL: provider.url } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
  await dispatcher.destroy();
});

/** Sends again where the machine is too busy to read the agent's status in time, as SDKs do. */
async function send(proxy: number, agentName: string): Promise<number> {
  const status = await sendOnce(proxy, agentName);
  return status === 503 ? send(proxy, agentName) : status;
}

async function sendOnce(proxy: number, agentName: string): Promise<number> {
  const { statusCode, body } = await request(`${system.proxies[proxy]?.url}/openai/v1/chat/completions`, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json', 'x-agent-name': agentName },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
  });
  await body.dump();
  return statusCode;
}

async function findAgentId(name: string): Promise<string> {
  const agents = await system.api<{ id: string; name: string }[]>('/api/v1/agents');
  return agents.find((agent) => agent.name === name)?.id ?? '';
}

const setStatus = (id: string, status: string) =>
  system.api(`/api/v1/agents/${id}`, { method: 'PUT', body: JSON.stringify({ status }) });

test('with requests in flight at any time, none that starts after the PUT has answered is admitted by either proxy', () =>
  throwKillSwitch(system, { inFlight: 20, each: 40 }));

test('a status that is changed by plain SQL holds on the next request of each proxy', async () => {
  expect([await send(0, 'by-sql'), await send(1, 'by-sql')]).toEqual([200, 200]);
  for (let round = 0; round < 5; round += 1) {
    for (const [status, expected] of [
      ['blocked', 403],
      ['active', 200],
      ['retired', 200],
    ] as const) {
      await system.database.pool.query('UPDATE agents SET status = $1 WHERE name = $2', [status, 'by-sql']);
      expect([await send(0, 'by-sql'), await send(1, 'by-sql')]).toEqual([expected, expected]);
    }
  }
});

test('while the agents table is locked exclusively none is admitted, known agent or new, and all are refused', async () => {
  const hasty = system.proxies.push(await system.start('proxy', { STORAGE_TIMEOUT_MS: '900' })) - 1;
  expect(await send(hasty, 'locked-out')).toBe(200);
  const client = await system.database.pool.connect();
  const before = provider.requests.length;
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE agents IN ACCESS EXCLUSIVE MODE');
    const names = ['locked-out', 'never-seen'];
    const statuses = await Promise.all(names.flatMap((name) => [sendOnce(hasty, name), sendOnce(hasty, name)]));
    expect(statuses).toEqual(Array(4).fill(503));
    expect(provider.requests.length).toBe(before);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  expect(await send(hasty, 'locked-out')).toBe(200);
});

test('the refusal says so in the words of the interface, and tells SDKs not to retry', async () => {
  expect(await send(0, 'told')).toBe(200);
  await setStatus(await findAgentId('told'), 'blocked');
  const answer = await fetch(`${system.proxies[0]?.url}/openai/v1/models`, { headers: { 'x-agent-name': 'told' } });
  expect([answer.status, refusalText(await answer.json()), answer.headers.get('x-should-retry')]).toEqual([
    403,
    expect.stringMatching(/^agent blocked since [-\d]+ [\d:]+ UTC$/),
    'false',
  ]);
});
