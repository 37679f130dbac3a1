import { once } from 'node:events';
import { connect } from 'node:net';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeLogLine } from '../../packages/local-stack/src/start/logs.ts';
import { startProcesses } from '../system/start-processes.ts';
import { type System, waitFor } from '../system/start-system.ts';
import { makeToken } from './support/admin-calls.ts';

let provider: FakeProvider;
let system: System;
let output = '';

beforeAll(async () => {
  provider = await startFakeProvider(answerCanned());
  system = await startProcesses({
    within: ['proxy', 'writer', 'management'],
    environment: { PROVIDER_OPENAI_URL: provider.url, LOG_LEVEL: 'info' },
    onOutput: (text) => {
      output += text;
    },
  });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

const ask = (agentName: string, model: string) =>
  fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agentName },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });

test('a request for each of many invented models leaves a bounded number of rows, and is counted all the same', async () => {
  provider.handle(() => ({
    body: { id: 'x', object: 'chat.completion', usage: { prompt_tokens: 3, completion_tokens: 2 } },
  }));
  const agentId = (await ask('inventor', 'gpt-4o-mini')).headers.get('x-agent-id');
  for (let first = 0; first < 260; first += 20)
    await Promise.all(Array.from({ length: 20 }, (_, index) => ask('inventor', `invented-${first + index}`)));
  const mine = await waitFor('all of them to be counted', async () => {
    const all =
      await system.api<{ agent_id: string; request_count: number; models_used: string[] }[]>('/api/v1/costs/breakdown');
    return all.find(({ agent_id, request_count }) => agent_id === agentId && request_count === 261);
  });
  // Of all time, an agent's first 999 models keep their names.
  expect(mine.models_used).toHaveLength(261);
  const { rows } = await system.database.pool.query<{ model: string; requests: number }>(
    'SELECT model, sum(request_count) AS requests FROM daily_usage GROUP BY model',
  );
  expect(rows).toHaveLength(201);
  expect(rows.find(({ model }) => model === 'other')?.requests).toBe(61);
});

test("a model's name forges no line of a log, and neither steers a terminal nor shows a key there", async () => {
  provider.handle(answerCanned());
  const key = `sk-proj-${'aB3dE5gH7jK9mN1pQ4rS'.repeat(2)}`;
  const names = [
    'zz\nproxy error: FORGED by an agent',
    'zz\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\u2028writer error: FORGED',
    key,
    `a model called ${key}`,
  ];
  for (const name of [...names, 'an-honest-name']) await (await ask('forger', name)).text();
  await waitFor('the last of them', () => output.includes('an-honest-name'));
  expect(output).toMatch(/^[\x20-\x7e\n]*$/);
  expect(output).not.toContain(key);
  const shown = output.split('\n').map((line) => describeLogLine('proxy', line) ?? '');
  expect(shown.filter((line) => line.includes('an-honest-name'))).toHaveLength(1);
  for (const line of shown) {
    expect(line).toMatch(/^(?:proxy (?:warn|error): .*)?$/);
    expect(line).not.toMatch(/^[^"]*FORGED/);
  }
});

test('a new agent has a name that can be seen and has one spelling; an agent that has another name already keeps it', async () => {
  const { port, hostname, host } = new URL(system.proxies[0]?.url ?? '');
  /** As bytes: clients like fetch refuse to send some of these. */
  const register = async (name: string): Promise<string> => {
    const socket = connect(Number(port), hostname);
    const bytes = Buffer.from(name, 'utf8').toString('latin1');
    socket.write(
      `GET /openai/v1/models HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\nx-agent-name: ${bytes}\r\n\r\n`,
      'latin1',
    );
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    await once(socket, 'close');
    return text;
  };
  const odd = [
    'agent\u2028x',
    'a\u034fgent',
    'agent\u3164',
    'caf\u0065\u0301',
    'a\u00a0b',
    'agent\ufe0f',
    'agent\u{e0100}',
  ];
  for (const name of [...odd, 'agent\u200b', '\u202etnega', 'a\u009bb']) {
    expect(await register(name), JSON.stringify(name)).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-agent-name/);
  }
  expect(await register('caf\u00e9 模型')).toMatch(/^HTTP\/1\.1 404 /);
  for (const formula of ['=HYPERLINK("https://example.com")', '<img src=x onerror=alert(1)>', '@SUM(A1)']) {
    expect(await register(formula)).toMatch(/^HTTP\/1\.1 404 /);
  }
  const path = `${system.proxies[0]?.url}/agents/${encodeURIComponent('a\u3164')}/openai/v1/models`;
  expect((await fetch(path)).status).toBe(400);

  const { pool } = system.database;
  await pool.query('INSERT INTO agents (id, name, source_ip) VALUES (gen_random_uuid(), $1, $2)', [
    odd[2],
    '127.0.0.1',
  ]);
  expect(await register(odd[2] ?? '')).toMatch(/^HTTP\/1\.1 404 /);
  // What an operator made a token for may be called as it is.
  const { secret } = await makeToken(system, odd[3] ?? '');
  const answer = await fetch(`${system.proxies[0]?.url}/openai/v1/models`, { headers: { 'x-agent-token': secret } });
  expect(answer.status).toBe(404);
});
