import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from './run-cli.ts';

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const makeToken = (exp: number) => `${encode({ alg: 'RS256' })}.${encode({ sub: 'billing', exp })}.c2lnbmF0dXJl`;
const fresh = makeToken(Date.now() / 1_000 + 600);

let folder: string;
const write = (text: string) => {
  writeFileSync(join(folder, 'token'), text);
  return join(folder, 'token');
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agp-token-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('what the file holds now is printed alone, and needs no key to the API', async () => {
  const file = write(`${fresh}\n`);
  expect(await runCli(['token', '--file', file], {})).toEqual({ code: 0, stdout: `${fresh}\n`, stderr: '' });
  for (const now of [makeToken(Date.now() / 1_000 + 1_200), 'agp_secret-of-an-agent']) {
    write(now);
    expect((await runCli(['token'], { AGP_TOKEN_FILE: file })).stdout).toBe(`${now}\n`);
  }
});

test.each([
  [[], '', /^No token: set AGP_TOKEN, or AGP_TOKEN_FILE/],
  [['--file', 'FILE/none'], '', /^--file: cannot read /],
  [['--file', 'FILE'], 'two words', /^--file must hold one key/],
  [['--file', 'FILE'], 'x'.repeat(20_000), /^The token is longer than 16384 characters/],
  [['--file', 'FILE'], makeToken(1_700_000_000), /^The token ended at 2023-11-14 22:13:20.* nothing renewed/],
  [['--file', 'FILE', '--exchange', 'proxy'], fresh, /^--exchange must be a URL/],
  [['--file', 'FILE', '--exchange', 'http://127.0.0.1:9'], fresh, /^connect: nothing answers on 127\.0\.0\.1:9 /],
])('agp token %j does not print %.9s', async (args, text, message) => {
  const file = write(text);
  const run = await runCli(['token', ...args.map((word) => word.replace('FILE', file))], {});
  expect(run).toMatchObject({ stdout: '', stderr: expect.stringMatching(message) });
  expect(run.code).toBeGreaterThan(0);
  expect(run.stderr).not.toContain(fresh.slice(0, 20));
});
