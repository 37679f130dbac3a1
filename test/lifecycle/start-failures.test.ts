import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment, startTestStack, type TestStack } from '@agp/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const script = new URL('./try-to-start.ts', import.meta.url).pathname;
const endsWithinMs = 10_000;

let stack: TestStack<{ nats: true; redis: true }>;
beforeAll(async () => {
  stack = await startTestStack({ nats: true, redis: true });
});
afterAll(() => stack?.[Symbol.asyncDispose]());

async function takePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { port, [Symbol.dispose]: () => server.close() };
}

type Attempt = [wrong: object, reason: string];

test.for([
  [
    'proxy',
    'whose ports are taken, whose NATS URL is none, or whose certificates of Redis are not there',
    (port: number): Attempt[] => [
      [{ opsPort: port }, 'EADDRINUSE'],
      [{ proxyPort: port }, 'EADDRINUSE'],
      [{ natsUrl: 'http://127.0.0.1' }, 'NATS URL'],
      [{ redisCaFile: '/nowhere/ca.crt' }, 'ENOENT'],
    ],
  ],
  ['management', 'whose port is taken', (port: number): Attempt[] => [[{ managementPort: port }, 'EADDRINUSE']]],
  ['writer', 'whose ops port is taken', (port: number): Attempt[] => [[{ opsPort: port }, 'EADDRINUSE']]],
] as const)('a %s %s leaves nothing open', async ([name, , listAttempts]) => {
  using taken = await takePort();
  const attempts = listAttempts(taken.port);
  const urls = stack.urls[name];
  const child = spawn(process.execPath, [script, name, JSON.stringify(attempts.map(([wrong]) => wrong))], {
    env: childEnvironment({
      DATABASE_URL: urls.databaseUrl,
      NATS_URL: urls.natsUrl,
      REDIS_URL: urls.redisUrl,
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
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const exited = once(child, 'exit');
  const readLines = () => said.split('\n').slice(0, -1);
  await expect.poll(() => readLines().length).toBe(attempts.length);
  for (const [index, [, reason]] of attempts.entries()) {
    expect(readLines()[index]).toMatch(/^ended: /);
    expect(readLines()[index]).toContain(reason);
  }
  const code = await Promise.race([
    exited.then(([exit]) => exit),
    sleep(endsWithinMs, 'still running', { ref: false }),
  ]);
  child.kill('SIGKILL');
  expect(code).toBe(0);
});
