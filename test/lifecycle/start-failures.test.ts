import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { childEnvironment, startTestStack } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { ServiceName } from '../system/start-system.ts';

const script = new URL('./try-to-start.ts', import.meta.url).pathname;

async function takePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { port, [Symbol.dispose]: () => server.close() };
}

test('a service whose port is taken, whose NATS URL is none, or whose certificates of Redis are not there leaves nothing open', async () => {
  await using stack = await startTestStack({ nats: true, redis: true });
  using taken = await takePort();
  const { port } = taken;
  const attempts: [name: ServiceName, wrong: object, reason: string][] = [
    ['proxy', { opsPort: port }, 'EADDRINUSE'],
    ['proxy', { proxyPort: port }, 'EADDRINUSE'],
    ['proxy', { natsUrl: 'http://127.0.0.1' }, 'NATS URL'],
    ['proxy', { redisCaFile: '/nowhere/ca.crt' }, 'ENOENT'],
    ['management', { managementPort: port }, 'EADDRINUSE'],
    ['writer', { opsPort: port }, 'EADDRINUSE'],
  ];
  const configurations = attempts.map(([name, wrong]) => [name, { ...stack.urls[name], ...wrong }]);
  const child = spawn(process.execPath, [script, JSON.stringify(configurations)], {
    env: childEnvironment({
      DATABASE_URL: stack.databaseUrl,
      NATS_URL: stack.natsUrl,
      REDIS_URL: stack.redisUrl,
      HOST: '127.0.0.1',
      OPS_HOST: '127.0.0.1',
      PROXY_PORT: '0',
      MANAGEMENT_PORT: '0',
      OPS_PORT: '0',
      MANAGEMENT_API_KEY: 'agm_test-key-with-every-scope-0123456789',
      LOG_LEVEL: 'fatal',
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  // It ends by itself once nothing is open any more.
  await expect.poll(() => [said, child.exitCode]).toEqual([expect.any(String), 0]);
  const lines = said.split('\n').slice(0, -1);
  expect(lines).toEqual(attempts.map(([name]) => expect.stringMatching(`^${name} ended: `)));
  for (const [index, [, , reason]] of attempts.entries()) expect(lines[index]).toContain(reason);
});
