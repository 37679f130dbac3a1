import type { CostSummary, Event } from '@agp/core/contracts';
import type { FakeProvider } from '@agp/testing/providers';
import { Agent, request } from 'undici';
import { expect } from 'vitest';
import { type Report, unreported } from '../../prove/story.ts';
import { type System, waitFor } from '../../system/start-system.ts';
import { callHeader } from './simulate-provider.ts';
import type { ToldCall } from './told/told-call.ts';
import { planToldCalls } from './told-calls.ts';

/** Reads all events, newest first, page by page. */
export async function readEvents(system: Pick<System, 'api'>): Promise<Map<string, Event>> {
  const events = new Map<string, Event>();
  for (let offset = 0; ; offset += 1_000) {
    const page = await system.api<Event[]>(`/api/v1/events?limit=1000&offset=${offset}`);
    for (const event of page) events.set(event.id, event);
    if (page.length < 1_000) return events;
  }
}

async function send(dispatcher: Agent, proxyUrl: string, call: ToldCall): Promise<string> {
  const { method, path, body, contentType = 'application/json' } = call;
  const {
    statusCode,
    headers,
    body: answer,
  } = await request(`${proxyUrl}${path}`, {
    dispatcher,
    method,
    headers: { 'x-agent-name': 'payer', [callHeader]: call.id, ...(body && { 'content-type': contentType }) },
    ...(body && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  });
  await answer.dump({ limit: 64 * 1024 * 1024 });
  // The machine was too busy to read the agent's status in time; nothing has reached the provider.
  if (statusCode === 503) return send(dispatcher, proxyUrl, call);
  expect({ call: call.id, statusCode }).toEqual({ call: call.id, statusCode: 200 });
  return String(headers['x-event-id']);
}

/** Calls in every way that providers tell what they bill: each is recorded to the nano-dollar. */
export async function reconcileTold(
  system: Pick<System, 'api' | 'proxies'>,
  provider: FakeProvider,
  count: number,
  report: Report = unreported,
): Promise<void> {
  const calls = planToldCalls(count);
  const byId = new Map(calls.map((call) => [call.id, call]));
  provider.handle(({ headers }) => byId.get(String(headers[callHeader]))?.reply ?? { status: 404 });
  const events = new Map<string, ToldCall>();
  const left = calls.values();
  const dispatcher = new Agent();
  const work = async () => {
    for (const call of left) events.set(await send(dispatcher, system.proxies[0]?.url ?? '', call), call);
  };
  await Promise.all(Array.from({ length: 16 }, work));
  await dispatcher.close();
  await waitFor('every event', async () => {
    const summary = await system.api<CostSummary>('/api/v1/costs/summary');
    return summary.request_count >= count;
  });
  const recorded = await readEvents(system);
  const off = [...events].flatMap(([id, { id: call, name, billed }]) => {
    const nano = Math.round((recorded.get(id)?.cost_usd ?? Number.NaN) * 1e9);
    return nano === billed ? [] : [{ call, name, billed, nano }];
  });
  expect(off).toEqual([]);
  const sum = calls.reduce((nano, { billed }) => nano + billed, 0);
  report({ calls: count, 'billed and recorded': `${(sum / 1e9).toFixed(9)} USD` });
}
