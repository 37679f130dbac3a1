import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openGuard } from '../guard/guard.ts';
import { removeStalePidFile, startPostgres } from './postgres.ts';
import { copyPristine } from './throw-away-postgres.ts';

const { postgres: kit } = inject('agpTestServers');

/** Starts a program as Postgres' user: only such a program keeps Postgres from starting. */
async function startStranger(): Promise<number> {
  const stranger = spawn('/bin/sh', ['-c', 'echo up; exec sleep 60'], { cwd: '/', ...kit.account });
  onTestFinished(() => void stranger.kill());
  await once(stranger.stdout, 'data');
  return stranger.pid as number;
}

test('Postgres starts after a crash although its old pid belongs to another program by now', async () => {
  await using guard = openGuard();
  const folder = await copyPristine(kit, guard);
  const stranger = await startStranger();
  writeFileSync(join(folder, 'postmaster.pid'), `${stranger}\n${folder}\n0\n1\n\n\n\n`);
  await expect(startPostgres(folder, { ...kit, guard, throwAway: true })).rejects.toThrow('already exists');
  removeStalePidFile(folder);
  await startPostgres(folder, { ...kit, guard, throwAway: true });
  expect(() => process.kill(stranger, 0)).not.toThrow();
});

test('the pid file of a Postgres that runs stays', async () => {
  await using guard = openGuard();
  const folder = await copyPristine(kit, guard);
  await startPostgres(folder, { ...kit, guard, throwAway: true });
  removeStalePidFile(folder);
  expect(existsSync(join(folder, 'postmaster.pid'))).toBe(true);
});
