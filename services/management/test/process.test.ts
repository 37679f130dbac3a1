import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childEnvironment, startTestStack } from '@agp/testing';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

function run(environment: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [main], {
    env: childEnvironment({ ...environment, LOG_LEVEL: 'silent' }),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

test('the process runs from environment variables alone and ends on SIGTERM, with a stream open', async () => {
  await using stack = await startTestStack({ nats: true, redis: true });
  const child = run({
    DATABASE_URL: stack.urls.management.databaseUrl,
    NATS_URL: stack.urls.management.natsUrl,
    REDIS_URL: stack.urls.management.redisUrl,
    MANAGEMENT_API_KEY: 'from-the-environment',
    MANAGEMENT_PORT: '0',
    OPS_PORT: '0',
    HOST: '127.0.0.1',
    OPS_HOST: '127.0.0.1',
  });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const headers = { authorization: 'Bearer from-the-environment' };
  expect((await fetch(`${url}/api/v1/agents`, { headers })).status).toBe(200);
  const stream = await fetch(`${url}/api/v1/events/stream`, { headers });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await stream.text()).toBe('');
});

test('the process ends with code 1 and says which variables are missing', async () => {
  const child = run({ NATS_URL: 'nats://127.0.0.1:1' });
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  for (const name of ['DATABASE_URL', 'REDIS_URL', 'MANAGEMENT_API_KEY']) expect(output).toContain(name);
  expect(output).not.toContain('NATS_URL');
});
