import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { childEnvironment } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from '../local-stack-config.ts';
import { checkPorts, toConsoleDefaults } from './start-local-stack.ts';

const at = (port: number, host = '127.0.0.1', variable = 'PROXY_PORT') => ({
  variable,
  hostVariable: 'HOST',
  host,
  port,
});

test('links in messages lead to this machine, if nobody else is served', () => {
  const ports = { proxyPort: 8080, managementPort: 8081 };
  expect(toConsoleDefaults({ host: '::1', ...ports })).toEqual({
    ...{ CONSOLE_PROXY_ADDRESS: 'http://[::1]:8080', CONSOLE_ORIGIN: 'http://[::1]:8081' },
  });
  expect(toConsoleDefaults({ host: '0.0.0.0', ...ports })).toEqual({ CONSOLE_PROXY_ADDRESS: 'http://127.0.0.1:8080' });
  expect(toConsoleDefaults({ host: '127.0.0.1', proxyPort: 0, managementPort: 0 })).toEqual({});
});

test('a port that is taken, one wanted twice, and a host elsewhere are named by their variables', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  await expect(checkPorts([at(port)])).rejects.toThrow(`Port ${port} is in use by another program. Set PROXY_PORT`);
  other.close();
  await once(other, 'close');
  await expect(checkPorts([at(port), at(port, '127.0.0.1', 'OPS_PORT')])).rejects.toThrow(
    `OPS_PORT and PROXY_PORT cannot both be ${port}.`,
  );
  await expect(checkPorts([at(0, '192.0.2.1')])).rejects.toThrow('HOST: 192.0.2.1 is no address of this machine');
  await expect(checkPorts([at(0), at(0)])).resolves.toBeUndefined();
});

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
