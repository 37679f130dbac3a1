import { apiKeyListSchema, createdApiKeySchema } from '@agp/core/contracts';
import { storedPolicySchema } from '@agp/policy';
import { expect, test } from 'vitest';
import { seedAgent } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();

interface Changed {
  method: 'PUT' | 'POST' | 'DELETE';
  path: string;
  bodies: [first: object, second: object];
  /** Its version before the first change, as people saw it. */
  seen: string;
  /** What the loser is told. */
  current: (winner: number) => object;
}

async function prepare(): Promise<Changed[]> {
  const agent = await seedAgent(management.database, `shared ${crypto.randomUUID()}`);
  const { headers } = await management.call(`/api/v1/agents/${agent}`);
  const policy = { name: `p-${crypto.randomUUID()}`, models: { deny: ['gpt-4*'] } };
  const made = storedPolicySchema.parse(await (await management.send('POST', '/api/v1/policies', policy)).json());
  const name = `key ${crypto.randomUUID()}`;
  const key = createdApiKeySchema.parse(
    await (await management.send('POST', '/api/v1/keys', { name, scopes: ['read'] })).json(),
  );
  const caps = [{ daily_cap_usd: 2.5, warn_only: true }, { daily_cap_usd: 3 }] as [object, object];
  const rates = [{ requests_per_minute: 60 }, { requests_per_minute: 90 }] as [object, object];
  return [
    {
      method: 'PUT',
      path: `/api/v1/agents/${agent}`,
      bodies: [{ labels: { team: 'a' } }, { labels: { team: 'b' } }],
      seen: headers.get('etag') ?? '',
      current: (winner) => ({ metadata: { team: ['a', 'b'][winner] } }),
    },
    {
      method: 'PUT',
      path: `/api/v1/policies/${made.id}`,
      bodies: [
        { ...policy, mode: 'warn' },
        { ...policy, mode: 'enforce' },
      ],
      seen: `"${made.version}"`,
      current: (winner) => ({ version: 2, policy: { mode: ['warn', 'enforce'][winner] } }),
    },
    ...[`budgets/agents/${agent}`, 'budgets/global', 'budgets/default'].map(
      (path): Changed => ({
        method: 'PUT',
        path: `/api/v1/${path}`,
        bodies: caps,
        seen: '"none"',
        current: (winner) => ({ daily_cap_usd: [2.5, 3][winner] }),
      }),
    ),
    ...[`limits/agents/${agent}`, 'limits/default'].map(
      (path): Changed => ({
        method: 'PUT',
        path: `/api/v1/${path}`,
        bodies: rates,
        seen: '"none"',
        current: (winner) => ({ requests_per_minute: [60, 90][winner] }),
      }),
    ),
    {
      method: 'POST',
      path: `/api/v1/keys/${key.id}/rotate`,
      bodies: [{}, {}],
      seen: `"${key.rotated_at ?? key.created_at}"`,
      current: () => ({ name }),
    },
  ];
}

test('of two people who change one thing at once the second is told, and nothing is lost', async () => {
  for (const { method, path, bodies, seen, current } of await prepare()) {
    const change = (body: object, version: string) => management.send(method, path, body, { 'If-Match': version });
    const both = await Promise.all(bodies.map((body) => change(body, seen)));
    const winner = both.findIndex(({ status }) => status === 200);
    const loser = both[1 - winner] as Response;
    expect(loser.status, path).toBe(409);
    expect(await loser.json(), path).toMatchObject({
      error: expect.stringContaining('meanwhile'),
      current: current(winner),
    });
    const now = loser.headers.get('etag') ?? '';
    expect(both[winner]?.headers.get('etag'), path).toBe(now);
    expect((await change(bodies[1], now)).status, path).toBe(200);
    // Without a version the last one wins, as ever: a block must not wait for anybody.
    expect((await management.send(method, path, bodies[0])).status, path).toBe(200);
  }
});

test('what is gone is not removed twice, nor by a version that nobody has', async () => {
  const made = await management.send('POST', '/api/v1/policies', { name: 'brief', models: { deny: ['x'] } });
  const { id } = storedPolicySchema.parse(await made.json());
  const remove = (version: string) =>
    management.call(`/api/v1/policies/${id}`, { method: 'DELETE', headers: { 'If-Match': version } });
  expect((await remove('"2"')).status).toBe(409);
  expect((await remove('"7", W/"1"')).status).toBe(204);
  const keys = await management.read('/api/v1/keys', apiKeyListSchema);
  expect(keys.find(({ name }) => name === 'bootstrap')?.rotated_at).toBeNull();
});
