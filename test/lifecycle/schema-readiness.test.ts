import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { migrate, openDatabase } from '@agp/db';
import { startFakeProvider } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { type ServiceName, startSystem, waitFor } from '../system/start-system.ts';

const names: ServiceName[] = ['proxy', 'writer', 'management'];

/** Nothing listens there: it was free a moment ago. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function readReasons(opsPort: number): Promise<string[] | undefined> {
  const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`).catch(() => undefined);
  const body = (await answer?.json()) as { reasons?: string[] } | undefined;
  return body && (body.reasons ?? []);
}

test('services that start before their schema are unready for it alone, and serve by themselves once it is there', async () => {
  await using provider = await startFakeProvider(() => ({ body: { object: 'list', data: [] } }));
  await using system = await startSystem({
    proxies: 0,
    writers: 0,
    environment: { PROVIDER_OPENAI_URL: provider.url },
  });
  const empty = `empty_${randomUUID().replaceAll('-', '')}`;
  await system.database.pool.query(`CREATE DATABASE ${empty} OWNER agp_migrator`);
  const urlOf = (user: ServiceName | 'migrator') =>
    Object.assign(new URL(system.stack.urls[user].databaseUrl), { pathname: `/${empty}` }).href;

  const opsPorts = await Promise.all(names.map(findFreePort));
  const starting = names.map((name, index) =>
    system.start(name, { DATABASE_URL: urlOf(name), OPS_PORT: String(opsPorts[index]) }),
  );
  for (const opsPort of opsPorts)
    await waitFor('readyz to name the schema', async () => {
      const reasons = await readReasons(opsPort);
      return reasons?.includes('schema') && !reasons.includes('postgres');
    });

  const database = openDatabase({ url: urlOf('migrator'), applicationName: 'test', maxConnections: 1 });
  await migrate(database.db, new Date());
  await database.close();
  for (const opsPort of opsPorts)
    await waitFor('readyz to have no reason left', async () => (await readReasons(opsPort))?.length === 0);
  const [proxy, , management] = await Promise.all(starting);
  const answer = await fetch(`${proxy?.url}/openai/v1/models`);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  const listed = await waitFor('the event', async () => {
    const events = await fetch(`${management?.url}/api/v1/events`, {
      headers: { authorization: `Bearer ${system.apiKey}` },
    });
    const body = (await events.json()) as { id: string }[];
    return body.length > 0 && body;
  });
  expect(listed.map(({ id }) => id)).toEqual([answer.headers.get('x-event-id')]);
  for (const service of await Promise.all(starting)) await service.stop();
  await system.database.pool.query(`DROP DATABASE ${empty} WITH (FORCE)`);
});
