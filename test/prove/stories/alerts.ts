import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Alert, type Delivery, deliveryStates } from '@agp/alerts';
import { expect } from 'vitest';
import { startBudgetSystem, stayWithinTheDay } from '../../control/support/budget-system.ts';
import { answerAsReserved } from '../../control/support/send-calls.ts';
import { startProcesses } from '../../system/start-processes.ts';
import { waitFor } from '../../system/start-system.ts';
import type { Report, Story } from '../story.ts';
import { makeBudget } from './overlapping-budgets.ts';

interface Message {
  id: string;
  type: string;
  alertId: string;
}

/** Takes webhooks; while it is held it answers none. */
async function startReceiver() {
  const messages: Message[] = [];
  let held: ServerResponse[] | null = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      const body = JSON.parse(text);
      messages.push({ id: `${request.headers['webhook-id']}`, type: body.type, alertId: body.data.id });
      if (held === null) response.end();
      else held.push(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    release() {
      for (const response of held ?? []) response.end();
      held = null;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function passThreshold(parallel: number, report: Report): Promise<void> {
  await stayWithinTheDay(300_000);
  await using receiver = await startReceiver();
  const environment = { NOTIFICATION_ALLOWED_HOSTS: receiver.host };
  await using budgets = await startBudgetSystem(answerAsReserved(1, 100), { writers: 2, environment }, startProcesses);
  const { system } = budgets;
  const post = <Answer>(path: string, body: object) =>
    system.api<Answer>(path, { method: 'POST', body: JSON.stringify(body) });
  await post('/api/v1/notification-targets', { kind: 'webhook', name: 'on-call', url: `http://${receiver.host}/` });
  const rule = { name: 'half', on: 'budget', at_percent: [100], projected: false, targets: ['on-call'] };
  await post('/api/v1/notification-rules', rule);
  const counted = { name: 'all', unit: 'requests', window: 'day', amount: parallel / 2, on_exceeded: 'warn' };
  const { id } = await makeBudget(budgets, counted);
  const [results] = await Promise.all([
    budgets.sendMany(parallel, (index) => ({ agentName: `agent-${index % 10}` })),
    system.writers[0]?.kill(),
  ]);
  expect(results.filter(({ status }) => status !== 200)).toEqual([]);
  await waitFor('the first message', () => receiver.messages.length > 0);
  // It has sent, and has not noted that.
  await system.management.kill();
  receiver.release();
  const next = await system.start('management');
  const read = async <Answer>(path: string) => {
    const response = await fetch(next.url + path, { headers: { authorization: `Bearer ${system.apiKey}` } });
    return (await response.json()) as Answer;
  };
  const countDelivered = async () => {
    const all = await read<Delivery[]>('/api/v1/notification-deliveries');
    return all.filter(({ state }) => state === deliveryStates[1]).length;
  };
  await waitFor('it to be sent again', async () => (await countDelivered()) === 1);
  await budgets.settle();
  const change = { method: 'PUT', body: JSON.stringify({ ...counted, amount: parallel * 10 }) };
  const headers = { authorization: `Bearer ${system.apiKey}`, 'content-type': 'application/json' };
  expect((await fetch(`${next.url}/api/v1/budgets/${id}`, { ...change, headers })).status).toBe(200);
  await waitFor('its end to be told', async () => (await countDelivered()) === 2);
  // Long enough for two more looks.
  await sleep(12_000);
  const alerts = await read<Alert[]>('/api/v1/alerts?rule=half');
  const ids = new Map(receiver.messages.map((message) => [message.id, message]));
  report({
    'requests at once': parallel,
    alerts: alerts.length,
    messages: ids.size,
    'of them sent twice': receiver.messages.length - ids.size,
  });
  expect(alerts.map(({ state }) => state)).toEqual(['resolved']);
  expect([...ids.values()].map(({ type, alertId }) => [type, alertId])).toEqual([
    ['alert.opened', alerts[0]?.id],
    ['alert.resolved', alerts[0]?.id],
  ]);
  expect(await read('/api/v1/notification-deliveries?state=waiting')).toEqual([]);
}

export const alertsStory = (isShort: boolean): Story => ({
  name: 'alerts',
  promise:
    'What 200 requests at once pass through three proxies and two writers, one of them killed, is one alert and one end; what a killed management had sent is sent again.',
  run: (report) => passThreshold(isShort ? 20 : 200, report),
});
