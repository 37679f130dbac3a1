import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorTable } from '@agp/core/errors';
import { openDatabase } from '@agp/db';
import { connectRedis } from '@agp/reservations';
import { runSql } from '@agp/testing';
import { expect } from 'vitest';
import { defaultPlaces } from '../../../packages/operator/src/secrets/list-secrets.ts';
import { finishRotation, rotateSecrets } from '../../../packages/operator/src/secrets/secrets-folder.ts';
import { answerAsReserved, Caller, type CallResult } from '../../control/support/send-calls.ts';
import { expectAllRecorded } from '../../lifecycle/rolling/check-recorded.ts';
import type { ProcessSystem, ServiceProcess } from '../../system/start-processes.ts';
import { type ServiceName, waitFor } from '../../system/start-system.ts';
import type { Report, Story } from '../story.ts';
import { withSystem } from '../with-system.ts';

const roles = ['proxy', 'writer'] as const;
const agentCount = 20;

interface Size {
  perSecond: number;
  /** Requests before the change, between its steps, and after it. */
  between: number;
  /** A starved machine may read an agent's status too late. */
  short: boolean;
}

/** The secrets of a deployment on these servers, as `npm run secrets` keeps them. */
function writeSecrets(folder: string, { stack }: ProcessSystem): void {
  for (const role of [...roles, 'management', 'operator', 'migrator'] as const) {
    const { databaseUrl, natsUrl, redisUrl } = { databaseUrl: '', natsUrl: '', redisUrl: '', ...stack.urls[role] };
    mkdirSync(join(folder, role), { recursive: true });
    for (const [name, url] of Object.entries({
      'database-url': databaseUrl,
      'nats-url': natsUrl,
      'redis-url': redisUrl,
    }))
      if (url !== '') writeFileSync(join(folder, role, name), url);
  }
}

const filesOf = (folder: string, role: (typeof roles)[number]) => ({
  DATABASE_URL_FILE: join(folder, role, 'database-url'),
  NATS_URL_FILE: join(folder, role, 'nats-url'),
  REDIS_URL_FILE: join(folder, role, 'redis-url'),
});

const readUrls = (file: string) => readFileSync(file, 'utf8').trim().split('\n');
const passwordOf = (url = '') => decodeURIComponent(new URL(url).password);

/** What `create-roles`, SIGHUP and ACL LOAD do, with the files that the rotation made. */
class Servers {
  readonly #folder: string;
  readonly #system: ProcessSystem;
  readonly #serverFolder: string;

  constructor(folder: string, serverFolder: string, system: ProcessSystem) {
    this.#folder = folder;
    this.#serverFolder = serverFolder;
    this.#system = system;
  }

  async changePostgres(): Promise<void> {
    for (const role of roles) {
      const password = readFileSync(join(this.#folder, `admin/${role}-password`), 'utf8');
      await runSql(this.#system.stack.postgres.url, `ALTER ROLE agp_${role} PASSWORD '${password}'`);
    }
  }

  changeNats(): void {
    const file = join(this.#serverFolder, 'nats/nats.conf');
    for (const role of roles) {
      const [old, next] = readUrls(join(this.#folder, role, 'nats-url')).map(passwordOf);
      writeFileSync(file, readFileSync(file, 'utf8').replace(old as string, next as string));
    }
    this.#system.stack.nats.reload();
  }

  /** The administrator of tests stays. */
  async loadRedisUsers(): Promise<void> {
    const file = join(this.#serverFolder, 'redis/users.acl');
    const [administrator] = readFileSync(file, 'utf8').split('\n');
    const [, ...users] = readFileSync(join(this.#folder, 'redis/users.acl'), 'utf8').split('\n');
    writeFileSync(file, [administrator, ...users].join('\n'));
    const redis = connectRedis({ url: this.#system.stack.urls.operator.redisUrl, commandTimeoutMs: 60_000 });
    try {
      await new Promise((resolve) => redis.once('ready', resolve));
      expect(await redis.call('ACL', 'LOAD')).toBe('OK');
    } finally {
      redis.disconnect();
    }
  }
}

/** Sends at a steady rate to all proxies that there are at the moment. */
function startLoad(proxies: readonly ServiceProcess[], perSecond: number) {
  const ending = new AbortController();
  const caller = new Caller();
  const sent: Promise<CallResult>[] = [];
  const failed = (error: Error): CallResult => ({
    ...{ status: 0, error: error.message, message: null, retryAfter: null, headers: {} },
  });
  const sending = (async () => {
    const started = performance.now();
    while (!ending.signal.aborted) {
      const due = ((performance.now() - started) / 1_000) * perSecond;
      while (sent.length < due) {
        const url = proxies[sent.length % proxies.length]?.url ?? '';
        sent.push(caller.send(url, { agentName: `agent-${sent.length % agentCount}` }).catch(failed));
      }
      await sleep(5);
    }
  })();
  const waitForMore = async (count: number) => {
    const before = sent.length;
    await waitFor('more requests', () => sent.length >= before + count, 120_000);
    await Promise.all(sent);
  };
  const stop = async () => {
    ending.abort();
    await sending;
    const results = await Promise.all(sent);
    await caller[Symbol.asyncDispose]();
    return results;
  };
  return { waitForMore, stop, count: () => sent.length };
}

async function isRefused(url: string): Promise<boolean> {
  const { pool, close } = openDatabase({ url, applicationName: 'old', maxConnections: 1 });
  try {
    await pool.query('SELECT 1');
    return false;
  } catch (error) {
    return (error as { code?: string }).code === '28P01';
  } finally {
    await close();
  }
}

const isBetween = (index: number, from: number, until: number) => index >= from && index < until;

async function changePasswords(
  system: ProcessSystem,
  serverFolder: string,
  { perSecond, between, short }: Size,
  report: Report,
): Promise<void> {
  const folder = join(serverFolder, 'secrets');
  writeSecrets(folder, system);
  const start = (name: Exclude<ServiceName, 'management'>) => system.start(name, filesOf(folder, name));
  const proxies = [await start('proxy'), await start('proxy')];
  await start('writer');
  await system.api('/api/v1/budgets/global', { method: 'PUT', body: JSON.stringify({ daily_cap_usd: 1e6 }) });
  const old = readUrls(filesOf(folder, 'proxy').DATABASE_URL_FILE)[0] ?? '';
  const servers = new Servers(folder, serverFolder, system);
  const load = startLoad(proxies, perSecond);
  const began = performance.now();
  let results: CallResult[] = [];
  const steps: [name: string, from: number][] = [['before', 0]];
  const begin = (name: string) => void steps.push([name, load.count()]);
  try {
    await load.waitForMore(between);
    begin('both in the files');
    for (const role of roles) rotateSecrets(folder, defaultPlaces, role);
    await load.waitForMore(between);
    // In any order.
    begin('new in the servers');
    await servers.loadRedisUsers();
    await servers.changePostgres();
    const { rows } = await system.database.pool.query<{ now: Date }>('SELECT now()');
    servers.changeNats();
    // One that starts now tries both logins.
    proxies.push(await start('proxy'));
    await load.waitForMore(between);
    const opened = await system.database.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename LIKE 'agp_%' AND backend_start > $1`,
      [rows[0]?.now],
    );
    begin('old dropped');
    for (const role of roles) finishRotation(folder, role);
    await servers.loadRedisUsers();
    proxies.push(await start('proxy'));
    await load.waitForMore(between);
    report({ 'connections to Postgres with new passwords': opened.rows[0]?.count ?? 0 });
  } finally {
    results = await load.stop();
  }
  const refused = results.filter(
    ({ status, error }) => status !== 200 && !(short && error === errorTable.status_unavailable.message),
  );
  report({
    requests: results.length,
    'a second': Math.round(results.length / ((performance.now() - began) / 1_000)),
    proxies: proxies.length,
    refused: refused.length,
  });
  if (refused.length > 0)
    report({
      'of which by step': steps
        .map(([name, from], at) => {
          const until = steps[at + 1]?.[1] ?? results.length;
          const count = refused.filter((each) => isBetween(results.indexOf(each), from, until)).length;
          return `${name} ${count} of ${until - from}`;
        })
        .join(', '),
    });
  expect(refused.map(({ status, message, error }) => `${status} ${message ?? error}`)).toEqual([]);
  expect(await isRefused(old)).toBe(true);
  const answered = results.filter(({ status }) => status === 200);
  const events = await expectAllRecorded(
    system,
    answered.map(({ headers }) => ({ eventId: String(headers['x-event-id']) })),
    60_000,
  );
  report({ events: events.length });
}

export const passwordsStory = (isShort: boolean): Story => ({
  name: 'passwords',
  promise:
    'Passwords of Postgres, NATS and Redis are changed at 50 requests a second, with strict caps: none is refused.',
  async run(report) {
    const serverFolder = mkdtempSync(join(tmpdir(), 'agp-passwords-'));
    const size = isShort ? { perSecond: 10, between: 20, short: true } : { perSecond: 50, between: 750, short: false };
    const folders = { natsFolder: join(serverFolder, 'nats'), redisFolder: join(serverFolder, 'redis') };
    const environment = { BUDGET: 'strict', MAX_REGISTRATIONS_PER_MINUTE: '10000' };
    try {
      await withSystem(
        answerAsReserved(),
        { proxies: 0, writers: 0, ownPostgres: true, within: ['management'], environment, ...folders },
        (system) => changePasswords(system, serverFolder, size, report),
      );
    } finally {
      rmSync(serverFolder, { recursive: true });
    }
  },
});
