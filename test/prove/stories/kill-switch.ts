import { Agent, request } from 'undici';
import { expect } from 'vitest';
import { type System, waitFor } from '../../system/start-system.ts';
import { type Report, unreported } from '../story.ts';

export interface KillSwitchSize {
  inFlight: number;
  /** Served before the block, and asked for after it. */
  each: number;
}

/** Keeps requests of one agent in flight through all proxies and blocks it: none that starts after the PUT has answered is served. */
export async function throwKillSwitch(
  system: System,
  { inFlight, each }: KillSwitchSize,
  report: Report = unreported,
): Promise<void> {
  const agentName = 'runaway';
  const dispatcher = new Agent({ connections: inFlight });
  const send = async (index: number) => {
    const url = system.proxies[index % system.proxies.length]?.url;
    const { statusCode, body } = await request(`${url}/openai/v1/chat/completions`, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json', 'x-agent-name': agentName },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    });
    await body.dump();
    return statusCode;
  };
  let served = 0;
  let blockedAt = Number.POSITIVE_INFINITY;
  const late = new Map<number, number>();
  const countLate = () => late.values().reduce((sum, count) => sum + count, 0);
  let stopped = false;
  const sending = Array.from({ length: inFlight }, async (_, index) => {
    while (!stopped) {
      const startedAt = performance.now();
      const status = await send(index);
      if (startedAt > blockedAt) late.set(status, (late.get(status) ?? 0) + 1);
      else if (status === 200) served += 1;
    }
  });
  try {
    await waitFor('requests to be served', () => served >= each);
    const agents = await system.api<{ id: string; name: string }[]>('/api/v1/agents');
    const id = agents.find(({ name }) => name === agentName)?.id;
    await system.api(`/api/v1/agents/${id}`, { method: 'PUT', body: JSON.stringify({ status: 'blocked' }) });
    blockedAt = performance.now();
    await waitFor('requests after the block', () => countLate() >= each);
  } finally {
    stopped = true;
    await Promise.all(sending);
    await dispatcher.destroy();
  }
  report({ 'in flight': inFlight, 'served before': served, 'refused after': late.get(403) ?? 0 });
  // A machine that stands still cannot read the status in time, which is refused as well.
  report({ 'refused for want of the status': late.get(503) ?? 0, 'served after': late.get(200) ?? 0 });
  expect([...late.keys()].filter((status) => status !== 403 && status !== 503)).toEqual([]);
  expect(late.get(403)).toBeGreaterThan(0);
}
