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

test('--help says what is done and ends, a wrong option names itself', () => {
  const run = (option: string) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), option], { encoding: 'utf8' });
  expect(run('--help')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^usage: npm run test:images.*not judged/s),
  });
  expect(run('--per-second=0')).toMatchObject({ status: 2, stderr: expect.stringContaining('from 1 to 1000, not 0') });
  expect(run('--kep')).toMatchObject({ status: 2, stderr: expect.stringMatching(/--kep.*usage: /s) });
});
