import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { type System, startSystem, waitFor } from '../../system/start-system.ts';

/** A product through which everything has gone that a dashboard shows. */
export interface MonitoredSystem extends AsyncDisposable {
  system: System;
  provider: FakeProvider;
}

const person = 'please write to jane.doe@example.com about her order';
const asked = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Good morning' }], max_tokens: 50 };

interface Agent {
  id: string;
  name: string;
  updated_at: string;
}

/**
 * Sends real requests through a proxy: usual ones, some with personal data, a model without a price, a provider that fails, and
 * such as are refused because their agent is blocked, at its cap, or unknown to a provider; and retires an agent that goes on.
 */
export async function startMonitoredSystem(): Promise<MonitoredSystem> {
  const provider = await startFakeProvider((request, index) =>
    request.body.includes('fail now')
      ? { status: 500, body: { error: { message: 'no' } } }
      : answerCanned()(request, index),
  );
  const system = await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url, LOG_LEVEL: 'fatal' } });
  const stop = async () => {
    await system[Symbol.asyncDispose]();
    await provider.stop();
  };
  try {
    await sendTraffic(system);
    return { system, provider, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function sendTraffic({ proxies, api, database }: System): Promise<void> {
  const [proxy] = proxies;
  let sent = 0;
  const send = async (agentName: string, body: object = {}, providerId = 'openai', expected = 200) => {
    const answer = await fetch(`${proxy?.url}/${providerId}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': agentName },
      body: JSON.stringify({ ...asked, ...body }),
    });
    await answer.text();
    if (answer.status !== expected) throw new Error(`${agentName}: ${answer.status}, not ${expected}`);
    if (answer.headers.has('x-event-id') && answer.status < 400) sent += 1;
  };
  const put = (path: string, body: object) => api(`/api/v1${path}`, { method: 'PUT', body: JSON.stringify(body) });
  const findAgent = async (name: string) => (await api<Agent[]>('/api/v1/agents')).find((agent) => agent.name === name);

  await put('/budgets/global', { daily_cap_usd: 100 });
  for (const name of ['steady', "o'brien", "quote ' and \\", 'spender', 'stopped', 'leaver']) await send(name);
  await send('steady', { messages: [{ role: 'user', content: person }] });
  await send('steady', { model: 'model-without-a-price' });
  await send('steady', { messages: [{ role: 'user', content: 'fail now' }] }, 'openai', 500);
  await put(`/budgets/agents/${(await findAgent('spender'))?.id}`, { daily_cap_usd: 0.000001 });
  await put(`/agents/${(await findAgent('stopped'))?.id}`, { status: 'blocked' });
  const leaver = `/agents/${(await findAgent('leaver'))?.id}`;
  await put(leaver, { status: 'retired' });
  const { updated_at } = await api<Agent>(`/api/v1${leaver}`);
  // Times of requests are cut to the millisecond, those of changes are rounded.
  await waitFor('a request to be later than the change', () => Date.now() > Date.parse(updated_at) + 1);
  await send('leaver');
  await waitFor('the events to be recorded', async () => {
    const { rows } = await database.pool.query<{ count: number }>('SELECT count(*) FROM events');
    return Number(rows[0]?.count) >= sent + 1;
  });
  await send('spender', {}, 'openai', 429);
  await send('stopped', {}, 'openai', 403);
  await send('nobody', {}, 'no-such-provider', 404);
  await waitFor('the refusals to be counted', async () => {
    const { rows } = await database.pool.query('SELECT DISTINCT reason FROM reporting.refusals');
    return rows.length >= 3;
  });
}
