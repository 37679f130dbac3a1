import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { childEnvironment } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openGuard } from '../guard/guard.ts';
import { repositoryRoot } from '../local-stack-config.ts';
import { keepService, startService } from './start-service.ts';

const usable = {
  DATABASE_URL: 'postgres://127.0.0.1/agp',
  NATS_URL: 'nats://127.0.0.1',
  REDIS_URL: 'redis://127.0.0.1',
  MANAGEMENT_API_KEY: 'sixteen-characters',
};

interface Started {
  starting: Promise<unknown>;
  shown: string[];
}

async function start(name: string, environment: Record<string, string>, troubleWithinMs?: number): Promise<Started> {
  const logFolder = mkdtempSync(join(tmpdir(), 'agp-service-'));
  const guard = openGuard();
  onTestFinished(async () => {
    await guard.stop();
    rmSync(logFolder, { recursive: true });
  });
  const shown: string[] = [];
  const starting = startService(name, `services/${name}/src/main.ts`, {
    guard,
    logFolder,
    environment: childEnvironment(environment),
    stop: { graceMs: 1_000, stage: 0 },
    report: (line) => shown.push(line),
    ...(troubleWithinMs === undefined ? {} : { troubleWithinMs }),
  });
  return { starting, shown };
}

test.for([
  ['management', { EDITION: 'basic' }, 'management cannot start: EDITION: must be one of extended, base'],
  [
    'proxy',
    { AUDIT: 'always', OPS_PORT: 'abc' },
    /^proxy cannot start: (?=.*OPS_PORT: must be a whole number from 0 to 65535)(?=.*AUDIT: must be one of available, strict)/,
  ],
  ['writer', { WRITER_LANES: '100' }, 'writer cannot start: WRITER_LANES: must be at most 64'],
] as const)('a wrong variable of %s is reported in one line', async ([name, wrong, message]) => {
  const { starting, shown } = await start(name, { ...usable, ...wrong });
  await expect(starting).rejects.toThrow(message);
  await expect(starting).rejects.toThrow(/^[^\n]*$/);
  expect(shown).toEqual([]);
});

test('a service that waits too long for a server ends the start, and the error names the server', async () => {
  const { starting } = await start('proxy', { ...usable, NATS_URL: 'nats://127.0.0.1:1', OPS_PORT: '0' }, 500);
  await expect(starting).rejects.toThrow(/^proxy is not ready: .*NATS_URL: NATS cannot be used yet.*REFUSED/);
});

/** Is ready at once on its given port, or on 4001; `AFTERWARDS` says how it behaves when it is started again. */
const program = `
  import { appendFileSync, existsSync } from 'node:fs';
  const isFirst = !existsSync(process.env.NOTES);
  appendFileSync(process.env.NOTES, process.pid + ' ' + process.env.PROXY_PORT + ' ' + process.env.OPS_PORT + '\\n');
  if (!isFirst && process.env.AFTERWARDS === 'crash') process.kill(process.pid, 'SIGKILL');
  process.on('SIGTERM', () => process.exit(0));
  const at = (port, first) => 'http://127.0.0.1:' + (port === '0' ? first : port);
  if (isFirst || process.env.AFTERWARDS !== 'hang')
    process.send({ ready: true, url: at(process.env.PROXY_PORT, 4001), opsUrl: at(process.env.OPS_PORT, 4002) });
  setInterval(() => {}, 1_000);
`;

async function keep(afterwards = 'ready') {
  const folder = mkdtempSync(join(tmpdir(), 'agp-keep-'));
  const file = join(folder, 'program.mjs');
  const notes = join(folder, 'notes');
  writeFileSync(file, program);
  const guard = openGuard();
  const stopping = new AbortController();
  onTestFinished(async () => {
    stopping.abort();
    await guard.stop();
    rmSync(folder, { recursive: true });
  });
  const said: string[] = [];
  const exits: string[] = [];
  const url = await keepService('proxy', relative(repositoryRoot, file), {
    guard,
    logFolder: folder,
    environment: { PROXY_PORT: '0', OPS_PORT: '0', NOTES: notes, AFTERWARDS: afterwards },
    portVariable: 'PROXY_PORT',
    stop: { graceMs: 1_000, stage: 0 },
    report: (line) => said.push(line),
    onExit: (reason) => exits.push(reason),
    stopping: stopping.signal,
  });
  const readStarts = () =>
    readFileSync(notes, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string, string]);
  const kill = (signal: NodeJS.Signals) => process.kill(Number(readStarts().at(-1)?.[0]), signal);
  return { url, said, exits, readStarts, kill, stopping };
}

test('a service that crashes is started again on the same ports', async () => {
  const { url, said, exits, readStarts, kill } = await keep();
  expect(url).toBe('http://127.0.0.1:4001');
  kill('SIGKILL');
  await expect
    .poll(() => said)
    .toEqual(['proxy was ended by SIGKILL. Starting it again ...', 'proxy is up again: http://127.0.0.1:4001']);
  expect(readStarts().map(([, port, opsPort]) => [port, opsPort])).toEqual([
    ['0', '0'],
    ['4001', '4002'],
  ]);
  expect(exits).toEqual([]);
});

test('a service that crashes five times within a minute is given up, with the reason', async () => {
  const { said, exits, readStarts, kill } = await keep('crash');
  kill('SIGKILL');
  await expect
    .poll(() => exits)
    .toEqual(['proxy cannot start: it was ended by SIGKILL before it was ready: its crash number 5 within a minute']);
  expect(readStarts()).toHaveLength(5);
  expect(said).toHaveLength(4);
});

test('a service that ends with code 0 is not started again, nor one that ends while the stack stops', async () => {
  const stopped = await keep();
  stopped.kill('SIGTERM');
  await expect.poll(() => stopped.exits).toEqual(['proxy ended with code 0']);

  const crashed = await keep('hang');
  crashed.kill('SIGKILL');
  await expect.poll(() => crashed.readStarts().length).toBe(2);
  // In the middle of the restart.
  crashed.stopping.abort();
  crashed.kill('SIGKILL');
  await expect.poll(() => isGone(Number(crashed.readStarts().at(-1)?.[0]))).toBe(true);
  expect([stopped.said, crashed.said.length, crashed.exits, crashed.readStarts().length]).toEqual([[], 1, [], 2]);
});

function isGone(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}
