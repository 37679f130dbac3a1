import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorTable } from '@agp/core/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { waitFor } from '../system/start-system.ts';
import { type BudgetSystem, startBudgetSystem } from './support/budget-system.ts';
import { answerAsReserved, countResults } from './support/send-calls.ts';

const mebibyte = 1024 * 1024;

let budgets: BudgetSystem;
beforeAll(async () => {
  budgets = await startBudgetSystem(answerAsReserved(), {
    proxies: 1,
    environment: {
      MAX_REQUEST_BYTES: String(mebibyte),
      MAX_BUFFERED_BYTES: String(16 * mebibyte),
      MAX_BODY_SECONDS: '4',
    },
  });
});
afterAll(() => budgets?.[Symbol.asyncDispose]());

/** A request whose body never ends: all but its last byte is sent, or as much as is given. */
async function hold(agentName: string, path: string, sent = mebibyte - 1, more = '') {
  const socket = connect(Number(new URL(budgets.urls[0] ?? '').port), '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  socket.write(
    `POST /openai/v1/${path} HTTP/1.1\r\nHost: localhost\r\nX-Agent-Name: ${agentName}\r\n${more}Content-Length: ${mebibyte}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(sent, '{"a":"b"} '));
  const trickle = setInterval(() => socket.write(''), 100);
  socket.once('close', () => clearInterval(trickle));
  return { socket, received: () => received, status: () => /^HTTP\/1\.1 (\d+)/.exec(received)?.[1] };
}

type Held = Awaited<ReturnType<typeof hold>>;

const endAll = (held: readonly Held[]) => {
  for (const { socket } of held) (socket as Socket).destroy();
};

const bufferedBytes = () => readMetric(budgets.system.proxies[0], 'agp_proxy_buffered_bytes');

test('bodies that never end, under one name or many, refuse nobody else, and end by themselves', async () => {
  const names = Array.from({ length: 16 }, (_, index) => `hostile-${index}`);
  const held = await Promise.all([
    ...names.map(() => hold('hostile', 'chat/completions')),
    ...names.map((name) => hold(name, 'chat/completions')),
  ]);
  const passThrough = () => hold('hostile-stream', 'files', 10);
  let streamed = await passThrough();
  held.push(streamed);
  await waitFor('the bodies to be held', async () => (await bufferedBytes()) >= 3 * mebibyte);
  const results = await budgets.sendMany(50, (index) => ({ agentName: `honest-${index % 5}` }));
  expect(countResults(results)).toEqual({ 200: 50 });
  const isAnswered = () => held.every(({ status }) => status() !== undefined);
  await waitFor('all of them to be answered', isAnswered);
  // Refused before its body was looked at, by a machine too busy to read a status in time.
  while (streamed.received().includes('status_unavailable')) {
    streamed = await passThrough();
    held.push(streamed);
    await waitFor('the next one to be answered', isAnswered);
  }
  const statuses = new Set(held.map(({ status }) => status()));
  expect([...statuses].filter((status) => !['408', '429', '503'].includes(status ?? ''))).toEqual([]);
  expect([statuses.has('408'), streamed.status()]).toEqual([true, '408']);
  endAll(held);
  await waitFor('the memory to be free again', async () => (await bufferedBytes()) === 0);
});

test('an agent over its cap is refused before its body comes', async () => {
  const agentName = 'spent';
  expect((await budgets.send({ agentName })).status).toBe(200);
  await budgets.setAgentCap(agentName, 0);
  const held = await hold(agentName, 'chat/completions', 10);
  await waitFor('the refusal', () => held.received().includes(errorTable.agent_budget_exceeded.message));
  endAll([held]);
});

test('an agent over its limit is refused before its body comes, and what is let through is counted once', async () => {
  const agentName = 'limited';
  expect((await budgets.send({ agentName })).status).toBe(200);
  const text = 'UPDATE agents SET requests_per_minute = 1 WHERE name = $1';
  await budgets.system.database.pool.query(text, [agentName]);
  // All of it within one minute of the clock.
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 8_000) await sleep(left + 100);
  const held = await Promise.all([1, 2, 3].map(() => hold(agentName, 'chat/completions', 10)));
  const waiting = () => held.filter(({ received }) => !received().includes(errorTable.rate_limited.message));
  await waitFor('all but one to be refused', () => waiting().length === 1);
  const [first] = waiting();
  // White space behind a whole document, so that it is one still.
  first?.socket.write(Buffer.alloc(mebibyte - 10, ' '));
  await waitFor('its answer', () => first?.status() === '200');
  endAll(held);
});
