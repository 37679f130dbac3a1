import { type Database, openDatabase } from '@agp/db';
import { createLogger } from '@agp/runtime';
import type { ManagementConfig } from '@agp/settings';
import { type Server, startTestStack, type TestStack } from '@agp/testing';
import { afterAll, beforeAll, expect } from 'vitest';
import type { z } from 'zod';
import type { NotifierOverrides } from '../../src/alerts/notifier.ts';
import { type ManagementService, startManagement } from '../../src/start-management.ts';

export const bootstrapKey = 'test-bootstrap-key-0123456789';

/** The service on real servers, and a client of it. */
export interface TestManagement extends AsyncDisposable {
  config: ManagementConfig;
  service: ManagementService;
  stack: Omit<TestStack<{ nats: true; redis: true }>, 'postgres'>;
  /** Only where it was asked for. */
  postgres: Server | undefined;
  /** To the same database, for what a test puts there. */
  database: Database;
  /** Sends a request with the bootstrap key, unless `init` has an `authorization` header of its own. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** GETs a 200, and parses the answer with its contract. */
  read<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>>;
  /** Sends a JSON body. */
  send(method: string, path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Expects exactly this error. */
  refuse(response: Response, status: number, error: string | RegExp): Promise<void>;
}

export interface TestManagementOptions {
  edition?: 'extended' | 'base';
  keepaliveMs?: number;
  ownPostgres?: boolean;
  maxStreamsPerKey?: number;
  consoleOrigin?: string;
  oidcIssuer?: string;
  shutdownGraceSeconds?: number;
  pricesFile?: string;
  providersFile?: string;
  /** Hosts of receivers that alerts may go to. */
  notificationAllowedHosts?: readonly string[];
  smtpUrl?: string;
  egress?: { httpsProxy: string; httpProxy: string };
  notifier?: NotifierOverrides;
  /** For tests of the deadline; else a starved machine is late. */
  storageTimeoutMs?: number;
}

/** One for all tests of a file, from before the first until after the last. */
export function shareTestManagement(options: TestManagementOptions = {}): TestManagement {
  const shared = {} as TestManagement;
  beforeAll(async () => void Object.assign(shared, await startTestManagement(options)));
  afterAll(() => shared[Symbol.asyncDispose]?.());
  return shared;
}

export async function startTestManagement(options: TestManagementOptions = {}): Promise<TestManagement> {
  await using opened = new AsyncDisposableStack();
  const ownPostgres: boolean = options.ownPostgres ?? false;
  const stack = opened.use(await startTestStack({ nats: true, redis: true, ownPostgres }));
  const config: ManagementConfig = {
    ...stack.urls.management,
    host: '127.0.0.1',
    managementPort: 0,
    opsHost: '127.0.0.1',
    opsPort: 0,
    logLevel: 'silent',
    storageTimeoutMs: options.storageTimeoutMs ?? 120_000,
    redisTimeoutMs: 60_000,
    managementApiKey: bootstrapKey,
    maxStreamsPerKey: options.maxStreamsPerKey ?? 50,
    edition: options.edition ?? 'extended',
    oidcScope: 'openid profile email',
    oidcRoleClaim: 'roles',
    ...(options.consoleOrigin !== undefined && { consoleOrigin: options.consoleOrigin }),
    ...(options.oidcIssuer !== undefined && { oidcIssuer: options.oidcIssuer, oidcClientId: 'agp' }),
    pricesFile: options.pricesFile,
    providersFile: options.providersFile,
    notificationAllowedHosts: [...(options.notificationAllowedHosts ?? [])],
    identityAllowedHosts: [],
    smtpUrl: options.smtpUrl,
    smtpFrom: 'agp@test.example',
    trustProxy: 0,
    noProxy: '',
    ...options.egress,
    drainDelaySeconds: 0,
    shutdownGraceSeconds: options.shutdownGraceSeconds ?? 10,
  };
  const database = openDatabase({ url: stack.databaseUrl, applicationName: 'test', maxConnections: 3, pipeline: true });
  opened.defer(() => database.pool.end());
  const service = opened.use(
    await startManagement(config, {
      logger: createLogger('management', 'silent'),
      ...(options.keepaliveMs !== undefined && { keepaliveMs: options.keepaliveMs }),
      ...(options.notifier !== undefined && { notifier: options.notifier }),
    }),
  );

  const { url } = service;
  const call = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${bootstrapKey}`);
    return fetch(`${url}${path}`, { ...init, headers });
  };
  const running = opened.move();
  const management: TestManagement = {
    config,
    service,
    stack,
    postgres: stack.postgres as Server | undefined,
    database,
    call,
    async read(path, schema) {
      const response = await call(path);
      expect(response.status, path).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      return schema.parse(await response.json());
    },
    send: (method, path, body, headers = {}) =>
      call(path, { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
    async refuse(response, status, error) {
      const body = await response.json();
      expect({ status: response.status, body }).toEqual({
        status,
        body: { error: typeof error === 'string' ? error : expect.stringMatching(error) },
      });
    },
    async [Symbol.asyncDispose]() {
      await running.disposeAsync();
      // A test file keeps its variables for as long as the run lasts: not the service, whose caches are megabytes.
      this.service = undefined as never;
    },
  };
  return management;
}
