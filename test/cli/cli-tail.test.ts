import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { startCli } from './run-cli.ts';
import { startRelay } from './start-relay.ts';

let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  provider = await startFakeProvider(answerCanned());
  system = await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

async function call<Answer>(path: string, method = 'GET', body?: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${system.apiKey}`, 'content-type': 'application/json' };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const answer = await fetch(`${system.management.url}${path}`, init);
  expect(answer.ok, path).toBe(true);
  return (answer.status === 204 ? null : await answer.json()) as Answer;
}

async function send(count: number, agentName: string): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const response = await fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': agentName },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    ids.push(response.headers.get('x-event-id') ?? '');
  }
  return ids;
}

/** Waits until all of these events are recorded. */
async function expectRecorded(ids: readonly string[]): Promise<void> {
  await waitFor('the events', async () => {
    const events = await call<{ id: string }[]>('/api/v1/events?limit=1000');
    const known = new Set(events.map(({ id }) => id));
    return ids.every((id) => known.has(id));
  });
}

const readIds = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { id: string }).id);

test('a tail tells each event once, through a cut connection and another management process, and none from before', async () => {
  await expectRecorded(await send(3, 'early'));
  await using relay = await startRelay(system.management.url);
  const environment = { AGP_URL: relay.url, AGP_API_KEY: system.apiKey };
  const tail = startCli(['events', 'tail', '--json'], environment);
  const expected: string[] = [];
  const expectTold = () =>
    waitFor('the tail', () => {
      const told = new Set(readIds(tail.run.stdout));
      return expected.slice(-45).every((id) => told.has(id));
    });
  try {
    // Its first connections read what was there; the stream comes after them, and each event from then on is told.
    await waitFor('the stream', async () => {
      expected.push(...(await send(1, 'steady')));
      await expectRecorded(expected);
      return readIds(tail.run.stdout).length > 0;
    });
    // What was sent before the tail knew what was there already is not its business.
    expected.splice(0, expected.indexOf(readIds(tail.run.stdout)[0] ?? ''));
    for (let round = 0; round < 3; round += 1) {
      const attempts = relay.connections;
      relay.cut();
      const missed = await send(20, `absent-${round}`);
      expected.push(...missed);
      await expectRecorded(missed);
      if (round === 2) {
        await system.management.stop();
        system.management = await system.start('management');
      }
      await waitFor('an attempt that fails', () => relay.connections > attempts);
      relay.pointTo(system.management.url);
      // Some come while it reads what it missed.
      expected.push(...(await send(20, 'steady')));
      await expectTold();
      expected.push(...(await send(5, 'steady')));
      await expectTold();
    }
  } finally {
    tail.child.kill('SIGINT');
  }
  const { code, stdout, stderr } = await tail.ended;
  const told = readIds(stdout);
  expect(new Set(told).size).toBe(told.length);
  expect(told.toSorted()).toEqual(expected.toSorted());
  expect(code).toBe(0);
  expect(stderr).toMatch(/trying again/);
  expect(stderr).not.toContain(system.apiKey);
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).not.toHaveProperty('provider');
});

test('a tail ends with 1 once its key was deleted, and with 0 when its reader has had enough', async () => {
  const input = { name: 'viewer', scopes: ['read'] };
  const key = await call<{ id: string; secret: string }>('/api/v1/keys', 'POST', input);
  const tail = startCli(['events', 'tail', '--agent', 'steady'], {
    AGP_URL: system.management.url,
    AGP_API_KEY: key.secret,
  });
  await waitFor('a line', async () => {
    await send(1, 'steady');
    return tail.run.stdout.includes('\n');
  });
  expect(tail.run.stdout).toMatch(/^\S+ \S+Z {2}steady {2}gpt-4o {2}/);
  await call(`/api/v1/keys/${key.id}`, 'DELETE');
  const { code, stderr } = await tail.ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^missing or invalid API key; .*\n$/);

  const other = startCli(['events', 'tail'], { AGP_URL: system.management.url, AGP_API_KEY: system.apiKey });
  other.child.stdout.destroy();
  let ended = false;
  void other.ended.then(() => {
    ended = true;
  });
  await waitFor('its end', async () => {
    await send(1, 'steady');
    return ended;
  });
  expect((await other.ended).code).toBe(0);
});
