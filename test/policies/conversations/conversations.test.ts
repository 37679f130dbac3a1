import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { labelPattern } from '@agp/pii/label';
import { connectRedis, type Redis } from '@agp/reservations';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type System, startSystem } from '../../system/start-system.ts';
import { needCodingAgents } from '../../wire/clients/coding-agents.ts';
import { type Client, clients } from './clients.ts';
import { programs } from './programs.ts';
import { answerStrictly, runHeader } from './strict-provider.ts';

let provider: FakeProvider;
let system: System;
let redis: Redis;
/** What the provider refused: a program may recover from that by itself. */
const refused: unknown[] = [];

const hourMs = 3_600_000;
let passedMs = 0;
const now = performance.now.bind(performance);

/** An hour by the clocks of the proxies and of Redis. */
async function passHour() {
  passedMs += hourMs;
  for (const key of await redis.keys('*')) {
    const leftMs = await redis.pttl(key);
    if (leftMs > 0) await redis.pexpire(key, leftMs - hourMs);
  }
}

beforeAll(async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
  provider = await startFakeProvider((request) => {
    const reply = answerStrictly(request);
    if (reply.status === 400) refused.push(reply.body);
    return reply;
  });
  const urls = { PROVIDER_OPENAI_URL: provider.url, PROVIDER_ANTHROPIC_URL: provider.url };
  system = await startSystem({ proxies: 2, environment: urls });
  redis = connectRedis({ url: system.stack.redisUrl, commandTimeoutMs: 60_000 });
  await once(redis, 'ready');
  for (const restore of [true, false]) {
    const match = { agents: [restore ? 'restoring-*' : 'redacting-*'] };
    const policy = { name: `mails-${restore}`, mode: 'enforce', match, pii: { request: { email: 'redact' }, restore } };
    await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
  }
});
afterAll(async () => {
  redis?.disconnect();
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
  vi.restoreAllMocks();
});

/** What a turn comes after. */
const pauses: Record<number, () => Promise<unknown>> = {
  4: passHour,
  7: () => redis.flushall(),
};

const turns = 10;
const addresses = (turn: number) => [`user${turn}@example.com`, `ops${turn}@example.org`];

/** Many times what a program's ten turns take. */
const patienceMs = 30 * 60_000;

function talk({ name, provider: id, requests = 2, open }: Client) {
  test.each(['restoring', 'redacting'])(
    'talks ten turns under a policy that is %s, after a pause and a lost Redis too',
    async (mode) => {
      const headers = { 'x-agent-name': `${mode}-${name.replaceAll(/\W+/g, '-')}`, [runHeader]: randomUUID() };
      const mails: string[] = [];
      const ask = open({ baseUrl: `${system.proxies[0]?.url}/${id}`, headers, maxRetries: 2 }, (to) => {
        mails.push(to);
        return JSON.stringify({ sent_to: to });
      });
      refused.length = 0;
      for (let turn = 1; turn <= turns; turn++) {
        await pauses[turn]?.();
        const [user = '', ops = ''] = addresses(turn);
        const said = await ask(`Turn ${turn}: write to ${user} and ${ops}, as in turn ${turn - 1}.`);
        expect(mails).toHaveLength(2 * turn);
        if (mode === 'restoring') expect([said, mails.slice(-2)]).toEqual([`Sent to ${user}, ${ops}.`, [user, ops]]);
        else expect(said.match(labelPattern)).toEqual(mails.slice(-2));
      }
      const received = provider.requests.filter((request) => request.headers[runHeader] === headers[runHeader]);
      expect(refused).toEqual([]);
      expect(received).toHaveLength(requests * turns);
      for (const { body } of received)
        expect(body.toString().replaceAll('<noreply@anthropic.com>', ''), 'what its model wrote itself').not.toMatch(
          /@example/,
        );
    },
    patienceMs,
  );
}

describe.each(clients)('$name', talk);
describe('programs', () => {
  needCodingAgents();
  describe.each(programs)('$name', talk);
});
