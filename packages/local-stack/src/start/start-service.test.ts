import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openGuard } from '../guard/guard.ts';
import { startService } from './start-service.ts';

const usable = {
  DATABASE_URL: 'postgres://127.0.0.1/agp',
  NATS_URL: 'nats://127.0.0.1',
  REDIS_URL: 'redis://127.0.0.1',
  MANAGEMENT_API_KEY: 'sixteen-characters',
};

interface Started {
  starting: Promise<unknown>;
  shown: string[];
}

async function start(name: string, environment: Record<string, string>, troubleWithinMs?: number): Promise<Started> {
  const logFolder = mkdtempSync(join(tmpdir(), 'agp-service-'));
  const guard = openGuard();
  onTestFinished(async () => {
    await guard.stop();
    rmSync(logFolder, { recursive: true });
  });
  const shown: string[] = [];
  const starting = startService(name, `services/${name}/src/main.ts`, {
    guard,
    logFolder,
    environment: childEnvironment(environment),
    stop: { graceMs: 1_000, stage: 0 },
    report: (line) => shown.push(line),
    ...(troubleWithinMs === undefined ? {} : { troubleWithinMs }),
  });
  return { starting, shown };
}

test.for([
  ['management', { EDITION: 'basic' }, 'management cannot start: EDITION: must be one of extended, base'],
  [
    'proxy',
    { AUDIT: 'always', OPS_PORT: 'abc' },
    /^proxy cannot start: (?=.*OPS_PORT: must be a whole number from 0 to 65535)(?=.*AUDIT: must be one of available, strict)/,
  ],
  ['writer', { WRITER_LANES: '100' }, 'writer cannot start: WRITER_LANES: must be at most 64'],
] as const)('a wrong variable of %s is reported in one line', async ([name, wrong, message]) => {
  const { starting, shown } = await start(name, { ...usable, ...wrong });
  await expect(starting).rejects.toThrow(message);
  await expect(starting).rejects.toThrow(/^[^\n]*$/);
  expect(shown).toEqual([]);
});

test('a service that waits too long for a server ends the start, and the error names the server', async () => {
  const { starting } = await start('proxy', { ...usable, NATS_URL: 'nats://127.0.0.1:1', OPS_PORT: '0' }, 500);
  await expect(starting).rejects.toThrow(/^proxy is not ready: .*NATS_URL: NATS cannot be used yet.*REFUSED/);
});
