import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Database, openDatabase } from '@agp/db';
import { type ServiceUrls, startTestStack, type TestStack } from '@agp/testing';
import { makeEventStream } from './make-event-stream.ts';

/** One service as a process of its own, as it runs in production. */
export interface ServiceProcess {
  url: string;
  /** Health and metrics. */
  opsUrl: string;
  child: ChildProcess;
  /** SIGTERM, and the wait for a clean end. Rejects when the process ends with another code than 0. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

export type ServiceName = 'proxy' | 'writer' | 'management';

export interface SystemOptions {
  proxies?: number;
  writers?: number;
  /** Variables for every service, for example `PROVIDER_OPENAI_URL`. */
  environment?: Record<string, string>;
  /** With no writers: whether one was there once, and has left its event stream. True if not given. */
  eventStream?: boolean;
  /** A Postgres of this system's own, for tests that stop it. */
  ownPostgres?: boolean;
  /** Takes what services print, instead of the terminal. */
  onOutput?: (text: string) => void;
}

/** The whole product on servers of its own. */
export interface System extends AsyncDisposable {
  stack: TestStack<{ nats: true; redis: true; ownPostgres: true }>;
  proxies: ServiceProcess[];
  writers: ServiceProcess[];
  management: ServiceProcess;
  /** A key with every scope. */
  apiKey: string;
  /** For looking at what was recorded, and for what ops do by SQL. */
  database: Database;
  /** Starts one more process of a service, with further variables. Rejects when it ends before it listens. */
  start(name: ServiceName, environment?: Record<string, string>): Promise<ServiceProcess>;
  /** The same, without waiting for anything. */
  spawn(name: ServiceName, environment?: Record<string, string>): ChildProcess;
  /** A call of the management API with the key. Rejects when the answer is not 2xx. */
  api<Answer>(path: string, init?: RequestInit): Promise<Answer>;
}

const apiKey = 'agm_test-key-with-every-scope-0123456789';

/** Starts the services as processes, with throw-away data and only providers simulated. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const stack = (await startTestStack({
    nats: true,
    redis: true,
    ownPostgres: options.ownPostgres ?? false,
  })) as System['stack'];
  const running = new Set<ChildProcess>();
  const environment = {
    PATH: process.env.PATH ?? '',
    HOST: '127.0.0.1',
    OPS_HOST: '127.0.0.1',
    PROXY_PORT: '0',
    MANAGEMENT_PORT: '0',
    OPS_PORT: '0',
    MANAGEMENT_API_KEY: apiKey,
    LOG_LEVEL: 'error',
    SHUTDOWN_GRACE_SECONDS: '10',
    ...options.environment,
  };
  const spawnOne = (name: ServiceName, more: Record<string, string> = {}) => {
    const child = spawnService(
      name,
      { ...toServerVariables(stack.urls[name]), ...environment, ...more },
      options.onOutput,
    );
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  };
  const start = async (name: ServiceName, more?: Record<string, string>) => toService(name, spawnOne(name, more));
  const startMany = (name: ServiceName, count: number) => Promise.all(Array.from({ length: count }, () => start(name)));
  const database = openDatabase({ url: stack.databaseUrl, applicationName: 'agp-test', maxConnections: 4 });
  const stop = async () => {
    await Promise.all(
      [...running].map((child) => {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        return exited;
      }),
    );
    await database.close();
    await stack[Symbol.asyncDispose]();
  };
  try {
    if (options.writers === 0 && options.eventStream !== false) await makeEventStream(stack.natsUrl);
    const [management, proxies, writers] = await Promise.all([
      start('management'),
      startMany('proxy', options.proxies ?? 1),
      startMany('writer', options.writers ?? 1),
    ]);
    const api = async <Answer>(path: string, init: RequestInit = {}) => {
      const headers = {
        authorization: `Bearer ${apiKey}`,
        ...(init.body ? { 'content-type': 'application/json' } : {}),
      };
      const answer = await fetch(`${management.url}${path}`, { ...init, headers });
      if (!answer.ok) throw new Error(`${init.method ?? 'GET'} ${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as Answer;
    };
    const calls = { start, spawn: spawnOne, api };
    return { stack, proxies, writers, management, apiKey, database, ...calls, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const toServerVariables = (urls: ServiceUrls) => ({
  DATABASE_URL: urls.databaseUrl,
  NATS_URL: urls.natsUrl,
  REDIS_URL: urls.redisUrl,
});

function spawnService(
  name: ServiceName,
  environment: Record<string, string>,
  onOutput: SystemOptions['onOutput'],
): ChildProcess {
  const file = new URL(`../../services/${name}/src/main.ts`, import.meta.url).pathname;
  const output = onOutput ? 'pipe' : 'inherit';
  const child = spawn(process.execPath, [file], { env: environment, stdio: ['ignore', output, output, 'ipc'] });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onOutput ?? (() => {}));
  return child;
}

/** Waits until the process says where it listens. */
async function toService(name: ServiceName, child: ChildProcess): Promise<ServiceProcess> {
  const exited = once(child, 'exit');
  const message = await Promise.race([once(child, 'message'), exited]);
  const [ready] = message as [{ url?: string; opsUrl?: string }];
  if (!ready?.url || !ready.opsUrl) throw new Error(`${name} did not start: exit code ${child.exitCode}`);
  return {
    url: ready.url,
    opsUrl: ready.opsUrl,
    child,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exited;
      if (code !== 0) throw new Error(`${name} ended with code ${code}`);
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Waits until `look` gives a value, asking every 20 ms. Rejects after `ms`, naming what it waited for. */
export async function waitFor<Value>(
  what: string,
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
  ms = 15_000,
): Promise<Value> {
  const deadline = Date.now() + ms;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`waited ${ms} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
