import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';

const script = join(import.meta.dirname, 'run-on-local-stack.ts');
/** Fails as a command does that was given this URL. */
const failing = "process.stderr.write('NATS_URL: ' + process.env.NATS_URL + '\\n'); process.exitCode = 1;";
const hint = /^No local stack runs on .* set DATABASE_URL and NATS_URL to run this on another deployment\.$/m;

test.each([
  ['nothing', {}, true, undefined],
  ['an empty variable', { NATS_URL: '' }, true, undefined],
  ['NATS_URL', { NATS_URL: 'nats://127.0.0.1:1' }, false, 'nats://127.0.0.1:1'],
  ['DATABASE_URL', { DATABASE_URL: 'postgres://127.0.0.1:1/agp' }, false, undefined],
  ['NATS_URL_FILE', { NATS_URL_FILE: 'nats-url' }, false, undefined],
])(
  'a command that fails with %s set gives the hint to start the local stack only if no server was named',
  (_, variables, isHinted, passedOn) => {
    const folder = mkdtempSync(join(tmpdir(), 'agp-on-local-stack-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { status, stderr } = spawnSync(process.execPath, [script, 'operator', '--eval', failing], {
      cwd: folder,
      encoding: 'utf8',
      env: childEnvironment({ AGP_DATA_DIR: folder, ...variables }),
    });
    expect({ status, isHinted: hint.test(stderr) }).toEqual({ status: 1, isHinted });
    expect(stderr.split('\n')[0]).toBe(`NATS_URL: ${passedOn}`);
  },
);
