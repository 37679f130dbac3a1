import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';

const script = join(import.meta.dirname, 'run-on-local-stack.ts');
const replay = join(import.meta.dirname, '../../../operator/src/commands/replay.ts');
const hint = /^No local stack runs on .* set DATABASE_URL and NATS_URL to run this on another deployment\.$/m;

test.each([
  ['nothing', {}, true],
  ['an empty variable', { NATS_URL: '' }, true],
  ['NATS_URL', { NATS_URL: 'nats://127.0.0.1:1' }, false],
  ['DATABASE_URL', { DATABASE_URL: 'postgres://127.0.0.1:1/agp' }, false],
  ['NATS_URL_FILE', { NATS_URL_FILE: 'nats-url' }, false],
])(
  'a command that fails with %s set gives the hint to start the local stack only if no server was named',
  (_, variables, isHinted) => {
    const folder = mkdtempSync(join(tmpdir(), 'agp-on-local-stack-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'nats-url'), 'nats://127.0.0.1:1');
    const { status, stderr } = spawnSync(
      process.execPath,
      [script, 'operator', replay, '--since', '2026-11-21T03:00:00Z'],
      { cwd: folder, encoding: 'utf8', env: childEnvironment({ AGP_DATA_DIR: folder, ...variables }) },
    );
    expect({ status, isHinted: hint.test(stderr) }).toEqual({ status: 1, isHinted });
    expect(stderr).toMatch(/^NATS_URL: /m);
  },
);
