// What `npm start`, `npm test` and the other scripts begin with. Plain JavaScript without dependencies, so that any Node 20
// runs it in a fresh clone. It installs what the lock file says if something has changed since the last time, then runs the
// command with the pinned Node, and ends as the command ends.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const proxyBench = ['node', 'test/bench/proxy-bench.ts'];
const streamBench = ['node', 'test/bench/stream-bench.ts'];
const openStreamsBench = ['node', 'test/bench/open-streams-bench.ts'];
const storageBench = ['node', 'packages/local-stack/src/launch/run-with-servers.ts', 'test/bench/storage-bench.ts'];
const writerBench = ['node', 'packages/local-stack/src/launch/run-with-servers.ts', 'test/bench/writer-bench.ts'];
const jsonBench = ['node', 'test/bench/json-bench.ts'];
const onLocalStack = (role, script) => ['node', 'packages/local-stack/src/launch/run-on-local-stack.ts', role, script];

/** The steps of each command, one after the other; a step begins with the program. Arguments of ours go to the last step. */
const commands = {
  start: [['node', 'packages/local-stack/src/start/main.ts']],
  test: [['node', 'node_modules/vitest/vitest.mjs', 'run']],
  demo: [['node', 'packages/local-stack/src/demo/main.ts']],
  bench: [jsonBench, proxyBench, streamBench, openStreamsBench, writerBench, storageBench],
  'bench:proxy': [proxyBench],
  'bench:stream': [streamBench],
  'bench:open-streams': [openStreamsBench],
  'bench:json': [jsonBench],
  'bench:pii': [['node', 'test/bench/pii-bench.ts']],
  'bench:writer': [writerBench],
  'bench:storage': [storageBench],
  reconcile: [
    [
      'node',
      '--env-file=test/recording/reconciliation/full.env',
      'node_modules/vitest/vitest.mjs',
      'run',
      'test/recording/reconciliation.test.ts',
    ],
  ],
  'prove:strict': [['node', 'test/control/strict/prove-strict.ts']],
  fuzz: [['node', 'test/fuzz/run.ts']],
  agp: [['node', '--import', './packages/local-stack/src/launch/offer-local-stack.ts', 'packages/cli/src/main.ts']],
  'create-roles': [['node', 'packages/operator/src/commands/create-roles.ts']],
  migrate: [onLocalStack('migrator', 'packages/operator/src/commands/migrate.ts')],
  maintain: [onLocalStack('migrator', 'packages/operator/src/commands/maintain.ts')],
  quarantine: [onLocalStack('operator', 'packages/operator/src/commands/quarantine.ts')],
  replay: [onLocalStack('operator', 'packages/operator/src/commands/replay.ts')],
  secrets: [['node', 'packages/operator/src/commands/secrets.ts']],
  'test:images': [['node', 'test/deploy/images/main.ts']],
  'measure:pii': [['node', 'test/pii/measure-pii.ts']],
  'check:pii-linear': [['node', 'test/pii/check-linear.ts']],
  check: [['node_modules/.bin/biome', 'check', '.'], ['node_modules/.bin/tsc'], ['node_modules/.bin/oxlint']],
};

const oldestNode = 20;
const runtimeMajor = 24;
/** The parser of JSON in these, 26.0 to 26.10, ends the process at broken JSON that nests deep. */
const isUnsafe = ([major, minor]) => major === 26 && minor <= 10;
/** Who holds the lock touches it each minute. */
const touchLockMs = 60_000;
const staleLockMs = 15 * 60_000;
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const stampFile = join(root, 'node_modules/.agp-installed');

/** A problem that the user can solve: shown without a stack. */
class SetupError extends Error {}

/** The first signal that told us to stop: nothing new begins after it. */
let stoppedBy = null;
/** Told each signal: what runs at the moment ends by it, and we with that. */
let passOn = () => {};
for (const signal of stopSignals)
  process.on(signal, () => {
    stoppedBy ??= signal;
    passOn(signal);
  });

/** The exit code of a program that a signal has ended, as a shell gives it. */
const codeOf = (signal) => 128 + constants.signals[signal];

/** A digest of everything that decides what an install gives. */
function digestManifests() {
  const members = ['packages', 'services'].flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder)).map((name) => join(folder, name, 'package.json'))
      : [],
  );
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...members.sort()];
  const digest = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of files) {
    const path = join(root, file);
    if (existsSync(path)) digest.update(`${file}\n`).update(readFileSync(path)).update('\n');
  }
  return digest.digest('hex');
}

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === digestManifests();
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Takes the lock if nobody has it. It holds our pid from the moment it exists. */
function tryLock(lock) {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(mine);
  }
  try {
    const holder = readFileSync(lock, 'utf8');
    if (isAlive(Number(holder)) && Date.now() - statSync(lock).mtimeMs < staleLockMs) return false;
    renameSync(lock, mine);
    // Somebody may have replaced the dead one's lock by their own in between: give it back.
    if (readFileSync(mine, 'utf8') !== holder) linkSync(mine, lock);
    rmSync(mine);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
  return false;
}

/** False also where another took the lock because we had slept for too long. */
function holdsLock(lock) {
  return existsSync(lock) && readFileSync(lock, 'utf8') === String(process.pid);
}

/** Runs a program quietly; its output is shown only if it fails. Rejects once it and what it started are gone. */
function runQuietly(command, args, environment) {
  const options = { cwd: root, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    passOn = (signal) => child.kill(signal);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => reject(new SetupError(`cannot run ${command}: ${error.message}`)));
    child.on('close', (code) => {
      passOn = () => {};
      if (code === 0) resolve();
      else reject(new SetupError(`${output.trimEnd()}\n${command} ${args.join(' ')} failed`));
    });
  });
}

async function installDependencies() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = packageManager.split('@')[1].split('+')[0];
  const onPath = spawnSync('pnpm', ['--version'], { cwd: root, encoding: 'utf8', timeout: 30_000 });
  const [command, ...prefix] = onPath.stdout?.trim() === version ? ['pnpm'] : ['npx', '-y', `pnpm@${version}`];
  // Not on standard output, which may be read by another program.
  console.error(`installing dependencies with pnpm ${version} ...`);
  // Without a terminal pnpm would stop to ask before it replaces folders that another version of it made.
  const args = ['install', '--frozen-lockfile', '--config.confirm-modules-purge=false'];
  await runQuietly(command, [...prefix, ...args], { COREPACK_ENABLE_DOWNLOAD_PROMPT: '0' });
}

/** Installs if something has changed since the last install. Runs beside each other wait for the one that installs. */
async function ensureInstalled() {
  if (isInstalled()) return;
  mkdirSync(join(root, '.data'), { recursive: true });
  const lock = join(root, '.data/install.lock');
  while (!stoppedBy && !tryLock(lock)) await new Promise((resolve) => setTimeout(resolve, 100));
  const touch = setInterval(() => holdsLock(lock) && utimesSync(lock, new Date(), new Date()), touchLockMs);
  try {
    if (stoppedBy || isInstalled()) return;
    const digest = digestManifests();
    // An install that is cut short must not pass for the good one that was there before.
    rmSync(stampFile, { force: true });
    await installDependencies();
    if (!stoppedBy) writeFileSync(stampFile, digest);
  } finally {
    clearInterval(touch);
    if (holdsLock(lock)) rmSync(lock);
  }
}

/** The pinned Node where the registry has one that runs here, else the running one if it is new enough and safe. */
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

/** Runs one step and resolves with its exit code. */
function runStep(node, [program, ...args]) {
  const child = spawn(program === 'node' ? node : join(root, program), args, {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: [dirname(node), process.env.PATH].join(delimiter),
      // What a person waited for an install counts.
      AGP_BEGAN_AT: String(performance.timeOrigin),
    },
  });
  passOn = (signal) => child.kill(signal);
  // npm that is killed passes nothing on; its child then finds itself with another parent.
  const parent = process.ppid;
  const watch = setInterval(
    () => process.env.npm_lifecycle_event && process.ppid !== parent && process.emit('SIGTERM', 'SIGTERM'),
    500,
  );
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new SetupError(`cannot run ${program}: ${error.message}`)));
    child.on('exit', (code, signal) => {
      passOn = () => {};
      clearInterval(watch);
      resolve(code ?? codeOf(signal));
    });
  });
}

async function main([name, ...given]) {
  if (Number.parseInt(process.versions.node, 10) < oldestNode)
    throw new SetupError(`Node ${oldestNode} or newer is needed to begin with; this is ${process.version}.`);
  if (process.platform === 'win32')
    throw new SetupError('Windows is not supported; the Windows Subsystem for Linux is.');
  const steps = Object.hasOwn(commands, name ?? '') ? commands[name] : null;
  if (steps === null) throw new SetupError(`usage: node bootstrap.mjs ${Object.keys(commands).join('|')} [arguments]`);
  // npm keeps the `--` that ends its own options to itself, pnpm hands it on.
  const args = given[0] === '--' ? given.slice(1) : given;
  await ensureInstalled();
  if (stoppedBy) return codeOf(stoppedBy);
  const node = chooseNode();
  const codes = [];
  for (const step of steps) {
    codes.push(await runStep(node, step === steps.at(-1) ? [...step, ...args] : step));
    if (stoppedBy && step !== steps.at(-1)) return codes.find((code) => code !== 0) ?? codeOf(stoppedBy);
  }
  return codes.find((code) => code !== 0) ?? 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  if (!stoppedBy) console.error(error.message);
  process.exitCode = stoppedBy ? codeOf(stoppedBy) : 1;
}
