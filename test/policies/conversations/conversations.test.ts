import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { labelPattern } from '@agp/pii/label';
import { connectRedis, type Redis } from '@agp/reservations';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem } from '../../system/start-system.ts';
import { clients } from './clients.ts';
import { answerStrictly, runHeader } from './strict-provider.ts';

let provider: FakeProvider;
let system: System;
let redis: Redis;

beforeAll(async () => {
  provider = await startFakeProvider(answerStrictly);
  const urls = { PROVIDER_OPENAI_URL: provider.url, PROVIDER_ANTHROPIC_URL: provider.url };
  system = await startSystem({ proxies: 2, environment: { ...urls, SESSION_IDLE_SECONDS: '1' } });
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
});

/** What a turn comes after. */
const pauses: Record<number, () => Promise<unknown>> = {
  4: () => expect.poll(() => redis.keys('agp:idle-session:*')).toEqual([]),
  7: () => redis.flushall(),
};

const turns = 10;
const addresses = (turn: number) => [`user${turn}@example.com`, `ops${turn}@example.org`];

describe.each(clients)('$name', ({ name, provider: id, open }) => {
  test.each(['restoring', 'redacting'])(
    'talks ten turns under a policy that is %s, after a pause and a lost Redis too',
    async (mode) => {
      const headers = { 'x-agent-name': `${mode}-${name.replaceAll(/\W+/g, '-')}`, [runHeader]: randomUUID() };
      const mails: string[] = [];
      const ask = open({ baseUrl: `${system.proxies[0]?.url}/${id}`, headers, maxRetries: 2 }, (to) => {
        mails.push(to);
        return JSON.stringify({ sent_to: to });
      });
      for (let turn = 1; turn <= turns; turn++) {
        await pauses[turn]?.();
        const [user = '', ops = ''] = addresses(turn);
        const said = await ask(`Turn ${turn}: write to ${user} and ${ops}, as in turn ${turn - 1}.`);
        expect(mails).toHaveLength(2 * turn);
        if (mode === 'restoring') expect([said, mails.slice(-2)]).toEqual([`Sent to ${user}, ${ops}.`, [user, ops]]);
        else expect(said.match(labelPattern)).toEqual(mails.slice(-2));
      }
      const received = provider.requests.filter((request) => request.headers[runHeader] === headers[runHeader]);
      expect(received).toHaveLength(2 * turns);
      for (const { body } of received)
        expect(body.toString().replaceAll('<noreply@anthropic.com>', ''), 'what its model wrote itself').not.toMatch(
          /@example/,
        );
    },
  );
});
