import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from './local-stack-config.ts';

/** A workspace with the real bootstrap, a script that it can run, and a pnpm that only writes down how it was called. */
function makeWorkspace(pnpm = 'sleep 0.3; echo "$@" >> calls; mkdir -p node_modules'): string {
  const root = mkdtempSync(join(tmpdir(), 'agp-bootstrap-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (file: string, content: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  };
  write('package.json', JSON.stringify({ packageManager: 'pnpm@9.9.9' }));
  write('pnpm-lock.yaml', 'lock');
  write('packages/one/package.json', '{}');
  write('bin/pnpm', `#!/bin/sh\nif [ "$1" = --version ]; then echo 9.9.9; else ${pnpm}; fi\n`);
  chmodSync(join(root, 'bin/pnpm'), 0o755);
  write(
    // Plain JavaScript starts in half the time.
    'main.mjs',
    `process.on('SIGTERM', () => process.exit(7));
     console.log('ran', process.argv.slice(2).join(' '));
     console.log('began', performance.timeOrigin - Number(process.env.AGP_BEGAN_AT), 'ms ago');
     if (process.argv[2] === 'wait') setInterval(() => {}, 1000);
     else process.exitCode = Number(process.argv[2] ?? 0);`,
  );
  write(
    'packages/local-stack/bootstrap.mjs',
    readFileSync(join(repositoryRoot, 'packages/local-stack/bootstrap.mjs'), 'utf8'),
  );
  return root;
}

function runBootstrap(root: string, ...args: string[]) {
  return runBootstrapWith(undefined, root, ...args);
}

/** @param version the version that Node reports */
function runBootstrapAs(version: string, root: string, ...args: string[]) {
  const claim = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  return runBootstrapWith(claim, root, ...args);
}

/** @param code that runs before it */
function runBootstrapWith(code: string | undefined, root: string, ...args: string[]) {
  const preload =
    code === undefined ? {} : { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
  const environment = { PATH: `${join(root, 'bin')}:/usr/bin:/bin`, npm_config_user_agent: 'pnpm/9.9.9', ...preload };
  const child = spawn(process.execPath, [join(root, 'packages/local-stack/bootstrap.mjs'), 'main.mjs', ...args], {
    cwd: root,
    env: environment,
  });
  const run = { child, output: '', exit: once(child, 'close').then(([code]) => code as number) };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (run.output += String(chunk)));
  return run;
}

const countInstalls = (root: string) =>
  existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n').length : 0;

test('it installs once, and again only when the lock file or a manifest has changed', async () => {
  const root = makeWorkspace();
  const start = async () => {
    expect(await runBootstrap(root).exit).toBe(0);
    return countInstalls(root);
  };
  expect(await start()).toBe(1);
  expect(await start()).toBe(1);
  writeFileSync(join(root, 'pnpm-lock.yaml'), 'another lock');
  expect(await start()).toBe(2);
  mkdirSync(join(root, 'services/two'), { recursive: true });
  writeFileSync(join(root, 'services/two/package.json'), '{}');
  expect(await start()).toBe(3);
  rmSync(join(root, 'node_modules'), { recursive: true });
  expect(await start()).toBe(4);
  expect(readFileSync(join(root, 'calls'), 'utf8')).toContain('install --frozen-lockfile');
});

test('the script learns when the bootstrap began, so that the time of an install counts', async () => {
  const run = runBootstrap(makeWorkspace());
  expect(await run.exit).toBe(0);
  expect(Number(/began (\S+) ms ago/.exec(run.output)?.[1])).toBeGreaterThan(300);
});

test('several runs at once install once, also if an earlier install was killed', async () => {
  const root = makeWorkspace();
  mkdirSync(join(root, '.data/installing'), { recursive: true });
  writeFileSync(join(root, '.data/installing', String(spawnSync('true').pid)), '');
  const runs = [1, 2, 3].map(() => runBootstrap(root));
  expect(await Promise.all(runs.map((run) => run.exit))).toEqual([0, 0, 0]);
  expect(countInstalls(root)).toBe(1);
});

test('of two runs one alone installs, if the other acts late on what a killed install left', async () => {
  const root = makeWorkspace('sleep 1; echo "$@" >> calls; mkdir -p node_modules');
  mkdirSync(join(root, '.data/installing'), { recursive: true });
  writeFileSync(join(root, '.data/installing', String(spawnSync('true').pid)), '');
  const late = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { existsSync, readdirSync, rmSync, writeFileSync } = fs;
    const waitOnce = () => {
      if (existsSync('late')) return;
      writeFileSync('late', '');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    };
    fs.readdirSync = (...given) => { const found = readdirSync(...given); waitOnce(); return found; };
    fs.rmSync = (...given) => { waitOnce(); rmSync(...given); };
    syncBuiltinESMExports();`;
  const first = runBootstrapWith(late, root);
  await expect.poll(() => existsSync(join(root, 'late'))).toBe(true);
  expect(await Promise.all([first.exit, runBootstrap(root).exit])).toEqual([0, 0]);
  expect(countInstalls(root)).toBe(1);
});

test('an install that fails shows why, runs nothing, and is tried again', async () => {
  const root = makeWorkspace('echo "no such package"; exit 3');
  for (const _ of [1, 2]) {
    const run = runBootstrap(root);
    expect(await run.exit).toBe(1);
    expect(run.output).toContain('no such package');
    expect(run.output).not.toContain('ran');
  }
});

test('an interrupted install ends pnpm, and does not count as the good install before it', async () => {
  const root = makeWorkspace('trap "sleep 0.5; echo gone > gone; exit 1" TERM; echo x >> calls; sleep 1 & wait');
  mkdirSync(join(root, 'node_modules'));
  const first = runBootstrap(root);
  expect(await first.exit).toBe(0);
  const good = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
  writeFileSync(join(root, 'pnpm-lock.yaml'), 'another lock');
  const interrupted = runBootstrap(root);
  await expect.poll(() => countInstalls(root)).toBe(2);
  const lock = join(root, '.data/installing', String(interrupted.child.pid));
  expect(existsSync(lock)).toBe(true);
  interrupted.child.kill('SIGTERM');
  expect(await interrupted.exit).toBe(143);
  // It waited for pnpm to end, and removed its lock.
  expect(existsSync(join(root, 'gone'))).toBe(true);
  expect(existsSync(lock)).toBe(false);
  expect(interrupted.output).not.toContain('ran');
  writeFileSync(join(root, 'pnpm-lock.yaml'), good);
  expect(await runBootstrap(root).exit).toBe(0);
  expect(countInstalls(root)).toBe(3);
});

test('it passes arguments, signals and the exit code on', async () => {
  const root = makeWorkspace();
  const failed = runBootstrap(root, '--', '5');
  expect(await failed.exit).toBe(5);
  const waiting = runBootstrap(root, 'wait');
  await expect.poll(() => waiting.output).toContain('ran wait');
  waiting.child.kill('SIGTERM');
  expect(await waiting.exit).toBe(7);
});

test('without a pinned Node it uses the installed one, unless broken JSON can end that one', async () => {
  const root = makeWorkspace();
  for (const version of ['24.0.0', '26.11.0']) expect(await runBootstrapAs(version, root).exit).toBe(0);
  for (const version of ['22.20.0', '26.0.0', '26.10.0']) {
    const run = runBootstrapAs(version, root);
    expect(await run.exit).toBe(1);
    expect(run.output).toMatch(/Node 24 or newer is needed .* try again/);
    expect(run.output).not.toContain('ran');
  }
});
