import { join } from 'node:path';
import { runCommandWithin } from '@agp/testing';
import { expect, test } from 'vitest';

const run = (args: string[] = [], variables: Record<string, string> = {}) =>
  runCommandWithin(join(import.meta.dirname, 'main.ts'), args, {
    PATH: process.env.PATH ?? '',
    DOCKER_HOST: 'unix:///nowhere/docker.sock',
    ...variables,
  });

test('without a Docker engine the images are skipped, which is not passed', async () => {
  const { status, stdout } = await run();
  expect(status).toBe(0);
  expect(stdout).toMatch(/^skipped: no Docker engine answers.*nothing was tested\.\n$/);
});

test('without a Docker engine where one is required it fails', async () => {
  const { status, stdout } = await run([], { REQUIRE_DOCKER: '1' });
  expect([status, stdout]).toEqual([1, expect.stringMatching(/^skipped: no Docker engine answers/)]);
});

test('--help says what is done and ends, a wrong option names itself', async () => {
  expect(await run(['--help'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^usage: npm run test:images.*2 wrong usage/s),
  });
  expect(await run(['--kep'])).toMatchObject({ status: 2, stderr: expect.stringMatching(/--kep.*usage: /s) });
});
