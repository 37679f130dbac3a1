import { Agent, request } from 'undici';
import { expect } from 'vitest';
import { type System, waitFor } from '../../system/start-system.ts';
import { type Report, type Story, unreported } from '../story.ts';
import { slowAnswer, withSystem } from '../with-system.ts';

export interface ChangePolicySize {
  inFlight: number;
  rounds: number;
  /** Asked for and answered after each change. */
  each: number;
}

/**
 * Keeps requests in flight through all proxies, and forbids and allows their model by turns: none that begins after a PUT has answered is
 * decided by an older version.
 */
export async function changePolicy(
  system: System,
  { inFlight, rounds, each }: ChangePolicySize,
  report: Report = unreported,
): Promise<void> {
  const policy = (isDenied: boolean) => ({
    name: 'by-turns',
    mode: 'enforce',
    match: { agents: ['governed'] },
    models: isDenied ? { deny: ['gpt-4o'] } : { allow: ['gpt-4o'] },
  });
  const send = (method: string, path: string, isDenied: boolean) =>
    system.api<{ id: string }>(`/api/v1/policies${path}`, { method, body: JSON.stringify(policy(isDenied)) });
  const { id } = await send('POST', '', false);
  const dispatcher = new Agent({ connections: inFlight });
  const ask = async (index: number) => {
    const url = system.proxies[index % system.proxies.length]?.url;
    const { statusCode, body } = await request(`${url}/openai/v1/chat/completions`, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json', 'x-agent-name': 'governed' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    });
    await body.dump();
    return statusCode;
  };
  /** The last change that has answered; null while one is on its way, when either version may decide. */
  let round: { at: number; seen: Map<number, number> } | null = null;
  let stopped = false;
  const sending = Array.from({ length: inFlight }, async (_, index) => {
    while (!stopped) {
      const at = performance.now();
      const status = await ask(index);
      if (round && at > round.at) round.seen.set(status, (round.seen.get(status) ?? 0) + 1);
    }
  });
  const seen = { refused: 0, served: 0, unavailable: 0, 'by an older version': 0 };
  try {
    for (let index = 0; index < rounds; index += 1) {
      const isDenied = index % 2 === 0;
      round = null;
      await send('PUT', `/${id}`, isDenied);
      const expected = isDenied ? 403 : 200;
      const counted = new Map<number, number>();
      round = { at: performance.now(), seen: counted };
      await waitFor('requests after the change', () => (counted.get(expected) ?? 0) >= each);
      const [right, busy] = [counted.get(expected) ?? 0, counted.get(503) ?? 0];
      seen[isDenied ? 'refused' : 'served'] += right;
      // A machine that stands still cannot read the version in time, which is refused as well.
      seen.unavailable += busy;
      seen['by an older version'] += counted.values().reduce((sum, count) => sum + count, 0) - right - busy;
    }
  } finally {
    stopped = true;
    await Promise.all(sending);
    await dispatcher.destroy();
  }
  report({ changes: rounds, 'in flight': inFlight, ...seen });
  expect(seen['by an older version']).toBe(0);
}

export const policiesStory = (isShort: boolean): Story => ({
  name: 'policies',
  promise:
    'With 200 requests in flight through three proxies, 20 times none that starts after a PUT has answered is decided by an older policy.',
  run: (report) =>
    withSystem(slowAnswer, { proxies: 3 }, (system) =>
      changePolicy(
        system,
        isShort ? { inFlight: 20, rounds: 4, each: 40 } : { inFlight: 200, rounds: 20, each: 600 },
        report,
      ),
    ),
});
