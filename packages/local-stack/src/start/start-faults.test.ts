import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { childEnvironment } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from '../local-stack-config.ts';

test('npm start names each wrong variable, and one that is misspelt, without a value or a stack', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agp-faults-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const child = spawn(process.execPath, ['packages/local-stack/src/start/main.ts'], {
    cwd: repositoryRoot,
    env: childEnvironment({
      AGP_DATA_DIR: join(folder, 'new'),
      AGENT_IDENTTY: 'canary-1',
      DATABASE_URL: 'canary-2',
      REDIS_URL: 'http://user:canary-3@127.0.0.1',
      NATS_URL: 'nats://user:canary-4%zz@127.0.0.1',
      MANAGEMENT_API_KEY: 'canary-5',
      PROXY_PORT: 'canary-6',
      AGP_POSTGRES: 'canary-7',
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect({ output, code }).toEqual({ output: '', code: 1 });
  expect(errors.trim().split('\n')).toEqual([
    'Nothing reads the variable AGENT_IDENTTY: is its name misspelt?',
    'DATABASE_URL: must begin with postgres:// or postgresql://',
    expect.stringMatching(/^NATS_URL: is not a URL/),
    'REDIS_URL: must begin with redis:// or rediss:// or redis+sentinel:// or rediss+sentinel://',
    'MANAGEMENT_API_KEY: must have at least 16 characters',
    'PROXY_PORT: must be a whole number from 0 to 65535',
    'AGP_POSTGRES: must be embedded, or not set',
  ]);
});
