import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stopLeftovers } from './guard.ts';
import { listChildren, readCommand, readStart } from './watched-process.ts';

const guardModule = JSON.stringify(new URL('./guard.ts', import.meta.url).href);

/** A child that ignores SIGTERM, and prints a line once it does. */
const stubborn = `process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000);`;

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-guard-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function startParent(folder: string, graceMs = 200) {
  const source = `
    import { spawn } from 'node:child_process';
    import { openGuard } from ${guardModule};
    const guard = openGuard({ recordFile: ${JSON.stringify(join(folder, 'record.json'))} });
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    guard.watch(child, { name: 'stubborn', stopSignals: ['SIGTERM'], graceMs: ${graceMs}, stage: 0 });
    guard.removeFolder(${JSON.stringify(join(folder, 'data'))});
    child.stdout.once('data', () => console.log(child.pid));
    process.on('SIGINT', () => guard.stop().then(() => process.exit(0)));
    setInterval(() => {}, 1000);
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await once(parent.stdout, 'data');
  return { parent, childPid: Number(String(output)) };
}

test.for(['SIGKILL', 'SIGINT'] as const)('a process that ends by %s leaves no child and no folder', async (signal) => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'data'), '');
  const { parent, childPid } = await startParent(folder);
  expect(readStart(childPid)).toBeDefined();
  parent.kill(signal);
  await expect.poll(() => readStart(childPid)).toBeUndefined();
  await expect.poll(() => existsSync(join(folder, 'data'))).toBe(false);
});

test('processes left because the guard was killed too are stopped by the next start', async () => {
  const folder = makeFolder();
  const { parent, childPid } = await startParent(folder);
  const guardPid = findGuard(parent.pid as number);
  process.kill(guardPid, 'SIGKILL');
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  expect(readStart(childPid)).toBeDefined();
  await stopLeftovers(join(folder, 'record.json'));
  expect(readStart(childPid)).toBeUndefined();
});

test('another program that got the pid of an earlier process is left alone', async () => {
  const record = join(makeFolder(), 'record.json');
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  onTestFinished(() => void stranger.kill());
  const pid = stranger.pid as number;
  const startedAt = Date.now() - 60_000;
  const past = { name: 'old', pid, startedAt, stopSignals: ['SIGKILL'], graceMs: 100, stage: 0 };
  writeFileSync(record, JSON.stringify([past]));
  await stopLeftovers(record);
  expect(readStart(pid)).toBeDefined();
});

function findGuard(parentPid: number): number {
  const guard = listChildren(parentPid).find((pid) => readCommand(pid).includes('guard-process.ts'));
  if (guard === undefined) throw new Error('the process has no guard');
  return guard;
}
