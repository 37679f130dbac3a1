import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openGuard } from '../guard/guard.ts';
import { startService } from './start-service.ts';

const usable = {
  DATABASE_URL: 'postgres://127.0.0.1/agp',
  NATS_URL: 'nats://127.0.0.1',
  REDIS_URL: 'redis://127.0.0.1',
  MANAGEMENT_API_KEY: 'sixteen-characters',
};

test.for([
  ['management', { EDITION: 'basic' }, 'management cannot start: EDITION: must be one of extended, base'],
  [
    'proxy',
    { AUDIT: 'always', OPS_PORT: 'abc' },
    /^proxy cannot start: (?=.*OPS_PORT: must be a whole number from 0 to 65535)(?=.*AUDIT: must be one of available, strict)/,
  ],
  ['writer', { WRITER_LANES: '100' }, 'writer cannot start: WRITER_LANES: must be at most 64'],
] as const)('%s with a wrong variable is told about in one line', async ([name, wrong, message]) => {
  const logFolder = mkdtempSync(join(tmpdir(), 'agp-service-'));
  onTestFinished(() => rmSync(logFolder, { recursive: true }));
  await using guard = openGuard();
  const shown: string[] = [];
  const starting = startService(name, `services/${name}/src/main.ts`, {
    guard,
    logFolder,
    environment: { ...usable, ...wrong },
    stop: { graceMs: 1_000, stage: 0 },
    report: (line) => shown.push(line),
    onExit: () => {},
  });
  await expect(starting).rejects.toThrow(message);
  await expect(starting).rejects.toThrow(/^[^\n]*$/);
  expect(shown).toEqual([]);
});
