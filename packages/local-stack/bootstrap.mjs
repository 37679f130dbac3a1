// Every npm script begins here: node bootstrap.mjs <what Node is to run>. It is plain JavaScript without dependencies, so that any
// Node 20 runs it in a fresh clone. It installs what the lock file names if that has changed since the last time, then runs the
// script with the pinned Node, and ends as that ends.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const oldestNode = 20;
const runtimeMajor = 24;
/** The JSON parser of Node 26.0 to 26.10 ends the process on broken JSON that nests deep. */
const isUnsafe = ([major, minor]) => major === 26 && minor <= 10;
const longestInstallMs = 10 * 60_000;

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const stampFile = join(root, 'node_modules/.agp-installed');

class SetupError extends Error {}

/** The first signal that asked for a stop: nothing new begins after it. */
let stoppedBy = null;
/** The program that runs now. It gets the signals too, and we end once it has ended. */
let running = null;
function stop(signal) {
  stoppedBy ??= signal;
  running?.kill(signal);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

const codeOf = (signal) => 128 + constants.signals[signal];

/** Starts a program. `ended` resolves with its exit code once it is gone and its output is complete. */
function run(program, args, options) {
  const child = spawn(program, args, { cwd: root, ...options });
  running = child;
  const ended = new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new SetupError(`cannot run ${program}: ${error.message}`)));
    child.on('close', (code, signal) => resolve(code ?? codeOf(signal)));
  });
  return { child, ended: ended.finally(() => (running = null)) };
}

function digestManifests() {
  const members = ['packages', 'services']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name, 'package.json')));
  const digest = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...members.sort()]) {
    const path = join(root, file);
    if (existsSync(path)) digest.update(`${file}\n`).update(readFileSync(path)).update('\n');
  }
  return digest.digest('hex');
}

const isInstalled = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === digestManifests();

/**
 * Writes this program's file into the folder, and has the lock if no other program with a file lives. Of two that come at once the one
 * with the smaller pid stays, the other withdraws its file and tries again.
 */
function tryLock(folder) {
  const own = join(folder, String(process.pid));
  writeFileSync(own, '');
  const others = readdirSync(folder).filter((pid) => pid !== String(process.pid) && isHeld(join(folder, pid), pid));
  if (others.some((pid) => Number(pid) < process.pid)) rmSync(own, { force: true });
  return others.length === 0;
}

/** Another program may have got the pid of a killed install: so none holds the lock for longer than an install takes. */
function isHeld(file, pid) {
  try {
    process.kill(Number(pid), 0);
    return Date.now() - statSync(file).mtimeMs < longestInstallMs;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

async function installDependencies() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = packageManager.split('@')[1].split('+')[0];
  const onPath = spawnSync('pnpm', ['--version'], { cwd: root, encoding: 'utf8', timeout: 10_000 });
  const [command, ...prefix] = onPath.stdout?.trim() === version ? ['pnpm'] : ['npx', '-y', `pnpm@${version}`];
  // On standard error, because another program may read standard output.
  console.error(`installing dependencies with pnpm ${version} ...`);
  // Without a terminal pnpm would stop to ask before it replaces folders that another version of it made.
  const args = [...prefix, 'install', '--frozen-lockfile', '--config.confirm-modules-purge=false'];
  const { child, ended } = run(command, args, {
    env: { ...process.env, COREPACK_ENABLE_DOWNLOAD_PROMPT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  if ((await ended) !== 0) throw new SetupError(`${output.trimEnd()}\n${command} ${args.join(' ')} failed`);
}

/** Installs if something has changed since the last install. Runs started at the same time wait for the one that installs. */
async function ensureInstalled() {
  if (isInstalled()) return;
  const folder = join(root, '.data/installing');
  mkdirSync(folder, { recursive: true });
  try {
    while (!tryLock(folder)) {
      if (stoppedBy) return;
      await sleep(100);
    }
    if (stoppedBy || isInstalled()) return;
    const digest = digestManifests();
    // An install that is cut short must not pass for the good one that was there before.
    rmSync(stampFile, { force: true });
    await installDependencies();
    if (!stoppedBy) writeFileSync(stampFile, digest);
  } finally {
    rmSync(join(folder, String(process.pid)), { force: true });
  }
}

/** The pinned Node if the registry has one that runs here, else the running one if it is new enough and safe. */
function chooseNode() {
  const loader = { x64: '/lib64/ld-linux-x86-64.so.2', arm64: '/lib/ld-linux-aarch64.so.1' }[process.arch];
  const pinned = join(root, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  if (existsSync(pinned) && existsSync(loader)) return pinned;
  const version = process.versions.node.split('.').map(Number);
  if (version[0] >= runtimeMajor && !isUnsafe(version)) return process.execPath;
  const why = isUnsafe(version) ? ', which broken JSON can end' : '';
  throw new SetupError(
    `Node ${runtimeMajor} or newer is needed on ${process.platform} ${process.arch}; this is ${process.version}${why}. ` +
      `Install it (for example "brew install node@${runtimeMajor}", or "nvm install ${runtimeMajor}") and try again.`,
  );
}

async function main(given) {
  if (Number.parseInt(process.versions.node, 10) < oldestNode)
    throw new SetupError(`Node ${oldestNode} or newer is needed to begin with; this is ${process.version}.`);
  if (process.platform === 'win32')
    throw new SetupError('Windows is not supported; the Windows Subsystem for Linux is.');
  await ensureInstalled();
  if (stoppedBy) return codeOf(stoppedBy);
  // npm removes the `--` that ends its own options; pnpm passes it on.
  const isPnpm = process.env.npm_config_user_agent?.startsWith('pnpm/');
  const args = isPnpm ? given.filter((_, index) => index !== given.indexOf('--')) : given;
  const node = chooseNode();
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  // The time that a person waited for an install counts: `npm start` prints how long everything took.
  const env = { ...process.env, PATH, AGP_BEGAN_AT: String(performance.timeOrigin) };
  // An npm killed by SIGKILL passes nothing on, and leaves us with another parent.
  const parent = process.ppid;
  const watch = setInterval(() => process.env.npm_lifecycle_event && process.ppid !== parent && stop('SIGTERM'), 500);
  return run(node, args, { env, stdio: 'inherit' }).ended.finally(() => clearInterval(watch));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  if (!stoppedBy) console.error(error.message);
  process.exitCode = stoppedBy ? codeOf(stoppedBy) : 1;
}
