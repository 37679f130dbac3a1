import { tmpdir } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { chooseTestFolder } from './throw-away-postgres.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('test data is kept in memory if there is room, and in TMPDIR if that is set', async () => {
  vi.stubEnv('TMPDIR', undefined);
  const here = import.meta.dirname;
  expect(await chooseTestFolder(here, 0)).toBe(here);
  expect(await chooseTestFolder(here, Number.POSITIVE_INFINITY)).toBe(tmpdir());
  expect(await chooseTestFolder(`${here}/nowhere`, 0)).toBe(tmpdir());
  vi.stubEnv('TMPDIR', '/var/tmp');
  expect(await chooseTestFolder(here, 0)).toBe('/var/tmp');
});
