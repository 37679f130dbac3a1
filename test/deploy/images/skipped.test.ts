import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('without a Docker engine the images are skipped, which is not passed', () => {
  const env = { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' };
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    encoding: 'utf8',
    env,
  });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^skipped: no Docker engine answers.*nothing was tested\.\n$/);
});
