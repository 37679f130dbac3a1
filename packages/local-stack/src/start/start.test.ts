import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toUserUrl } from '@agp/operator';
import { childEnvironment, eventually } from '@agp/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { readStart, type WatchedProcess } from '../guard/watched-process.ts';
import { readLocalStackConfig, repositoryRoot } from '../local-stack-config.ts';
import { postgresUser } from '../servers/postgres.ts';

const freePorts = { PROXY_PORT: '0', MANAGEMENT_PORT: '0', OPS_PORT: '0' };

function runStart(dataFolder: string, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['packages/local-stack/src/start/main.ts'], {
    cwd: repositoryRoot,
    env: childEnvironment({ AGP_DATA_DIR: dataFolder, ...freePorts, ...environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGTERM'));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  const run = { child, output: '', exit };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (run.output += String(chunk)));
  return run;
}

type Run = ReturnType<typeof runStart>;

/** Waits until everything is up and returns the lines to copy. */
async function readCurlLines(run: Run): Promise<[string, string]> {
  const ended = run.exit.then((code) => Promise.reject(new Error(`ended with ${code}: ${run.output}`)));
  ended.catch(() => {});
  const up = eventually(() => expect(run.output).toContain('Ctrl-C stops everything'));
  await Promise.race([up, ended]);
  return [...run.output.matchAll(/^ {2}(curl .*)$/gm)].map((match) => match[1]) as [string, string];
}

async function runLine(line: string): Promise<unknown> {
  const shell = spawn('/bin/sh', ['-c', line], { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse((await shell.stdout.setEncoding('utf8').toArray()).join(''));
}

async function openStream(line: string): Promise<{ readToEnd(): Promise<string> }> {
  const url = /http:\S+/.exec(line)?.[0] as string;
  const messages = [{ role: 'user', content: 'Hello' }];
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ model: 'gpt-5-mini', stream: true, messages }),
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = decoder.decode((await reader.read()).value, { stream: true });
  return {
    async readToEnd() {
      for (let next = await reader.read(); !next.done; next = await reader.read())
        text += decoder.decode(next.value, { stream: true });
      return text;
    },
  };
}

function listProcesses(dataFolder: string): WatchedProcess[] {
  return JSON.parse(readFileSync(join(dataFolder, 'processes.json'), 'utf8')) as WatchedProcess[];
}

const countRunning = (processes: WatchedProcess[]) =>
  processes.filter(({ pid }) => readStart(pid) !== undefined).length;

function makeDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-start-'));
  // Like a checkout: the user that Postgres runs as can enter it.
  chmodSync(folder, 0o755);
  // Servers that this test run has unpacked are not unpacked again.
  const tools = join(readLocalStackConfig(process.env, () => {}).dataFolder, 'tools');
  if (existsSync(tools)) symlinkSync(tools, join(folder, 'tools'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 50 }));
  return folder;
}

const readOperatorVariables = (dataFolder: string): Record<string, string> =>
  JSON.parse(readFileSync(join(dataFolder, 'servers.json'), 'utf8')).operator;

async function listDatabaseUsers(dataFolder: string): Promise<Record<string, string>> {
  const { migrator } = JSON.parse(readFileSync(join(dataFolder, 'servers.json'), 'utf8'));
  const { postgresPassword } = JSON.parse(readFileSync(join(dataFolder, 'secrets.json'), 'utf8'));
  const client = new pg.Client(toUserUrl(migrator.DATABASE_URL, postgresUser, postgresPassword));
  await client.connect();
  const { rows } = await client.query(
    "SELECT DISTINCT application_name, usename FROM pg_stat_activity WHERE application_name LIKE 'agp-%' ORDER BY 1, 2",
  );
  await client.end();
  return Object.fromEntries(rows.map((row) => [row.application_name, row.usename]));
}

function runOnLocalStack(dataFolder: string, ...args: string[]): string {
  return execFileSync(process.execPath, ['packages/local-stack/src/launch/run-on-local-stack.ts', ...args], {
    cwd: repositoryRoot,
    env: childEnvironment({ AGP_DATA_DIR: dataFolder }),
    encoding: 'utf8',
  });
}

test('the printed lines work at once; each service has its own database user, and starts again when killed; data outlives a crash; neither a crash nor Ctrl-C leaves a process or breaks a stream', async () => {
  const dataFolder = makeDataFolder();
  // Passwords that are missing are added to those that are there.
  const given = { managementApiKey: 'agm_given-before-there-were-others', postgresPassword: 'given-password' };
  writeFileSync(join(dataFolder, 'secrets.json'), JSON.stringify(given), { mode: 0o600 });
  const first = runStart(dataFolder);
  const [request, list] = await readCurlLines(first);
  expect(await runLine(request)).toMatchObject({ object: 'chat.completion' });
  await expect.poll(() => runLine(list)).toMatchObject([{ provider: 'demo' }]);
  expect(JSON.parse(readFileSync(join(dataFolder, 'secrets.json'), 'utf8'))).toMatchObject(given);
  expect(statSync(join(dataFolder, 'secrets.json')).mode & 0o777).toBe(0o600);
  expect(await listDatabaseUsers(dataFolder)).toEqual({
    'agp-management': 'agp_management',
    'agp-proxy': 'agp_proxy',
    'agp-writer': 'agp_writer',
  });
  expect(new URL(readOperatorVariables(dataFolder).NATS_URL ?? '').username).toBe('operator');
  const listed = runOnLocalStack(dataFolder, 'operator', 'packages/operator/src/commands/quarantine.ts', 'list');
  expect(listed).toBe('nothing is set aside\n');

  const other = runStart(dataFolder);
  expect(await other.exit).toBe(1);
  expect(other.output).toContain(`process ${first.child.pid}`);

  process.kill(listProcesses(dataFolder).find(({ name }) => name === 'proxy')?.pid as number, 'SIGKILL');
  await expect.poll(() => first.output).toContain('proxy is up again: http://127.0.0.1:');
  expect(first.output).toContain('proxy was ended by SIGKILL. Starting it again ...');
  expect(await runLine(request)).toMatchObject({ object: 'chat.completion' });

  const processes = listProcesses(dataFolder);
  expect(processes.map(({ name }) => name).sort()).toEqual([
    'demo-provider',
    'management',
    'nats',
    'postgres',
    'proxy',
    'redis',
    'writer',
  ]);
  first.child.kill('SIGKILL');
  await expect.poll(() => countRunning(processes)).toBe(0);

  const second = runStart(dataFolder);
  const [requestAgain, listAgain] = await readCurlLines(second);
  expect(await runLine(listAgain)).toContainEqual(expect.objectContaining({ provider: 'demo' }));
  const processesAgain = listProcesses(dataFolder);
  const stream = await openStream(requestAgain);
  second.child.kill('SIGINT');
  const streamed = await stream.readToEnd();
  expect(streamed.length).toBeGreaterThan(3_000);
  expect(streamed).toMatch(/data: \[DONE\]\n\n$/);
  expect(await second.exit).toBe(0);
  expect(countRunning(processesAgain)).toBe(0);
  for (const note of ['servers.json', 'services.json']) expect(existsSync(join(dataFolder, note))).toBe(false);
  for (const data of ['nats', 'redis']) expect(statSync(join(dataFolder, data)).mode & 0o777).toBe(0o700);
  expect(second.output).toMatch(/Stopping \.\.\.\nStopped\.\n$/);
});

test('a port that is taken is named with the variable that moves it', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const run = runStart(makeDataFolder(), { PROXY_PORT: String(port) });
  expect(await run.exit).toBe(1);
  expect(run.output).toBe(
    `Port ${port} is in use by another program. Set PROXY_PORT to a free port and start again.\n`,
  );
});
