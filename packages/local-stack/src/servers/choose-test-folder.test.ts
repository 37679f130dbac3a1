import { statfsSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { chooseTestFolder } from './choose-test-folder.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('data of tests lies where TMPDIR says, else in memory if there is room for it', async () => {
  vi.stubEnv('TMPDIR', '/var/tmp');
  expect(await chooseTestFolder()).toBe('/var/tmp');
  vi.stubEnv('TMPDIR', undefined);
  const { bavail, bsize } = statfsSync('/dev/shm', { bigint: true });
  expect(await chooseTestFolder()).toBe(bavail * bsize >= 4n * 1024n ** 3n ? '/dev/shm' : '/tmp');
});
