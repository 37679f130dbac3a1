import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';

export type RedisStatus = 'unreachable' | 'ready';

export interface RedisOptions {
  /** `redis://user:password@host:port`, or `rediss://` for TLS. */
  url: string;
  /** A file of certificates, in PEM, that the server's must come from; with it no connection goes without TLS. */
  caFile?: string | undefined;
  /** Told when Redis cannot be used, once for each reason, which `error` says in its message, and when it is back. */
  onStatus?: (status: RedisStatus, error?: Error) => void;
  /** How long an answer may take before the caller goes on without it, in milliseconds. 100 if not given. */
  commandTimeoutMs?: number;
}

/** Never gathered with what else a turn of the event loop sends: it must be on its way before what its caller does next. */
export const forwardCommand = 'agpForward';

/**
 * Connects in the background and for ever. A command fails at once while Redis is away, and after a while when it is
 * silent: what is kept there is shared convenience, never the truth, and no request waits longer for it.
 */
export function connectRedis(options: RedisOptions): Redis {
  const redis = new Redis(options.url, {
    ...(options.caFile === undefined ? {} : { tls: { ca: readFileSync(options.caFile) } }),
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands: [forwardCommand],
    maxRetriesPerRequest: 0,
    commandTimeout: options.commandTimeoutMs ?? 100,
    connectTimeout: 2_000,
    // Its name and version are nobody's business there, and its user may not tell them.
    disableClientInfo: true,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  // Since it was last ready: one that was away may come back with another password.
  const told = new Set<string>();
  redis.on('ready', () => {
    if (told.size > 0) options.onStatus?.('ready');
    told.clear();
  });
  redis.on('error', (error) => {
    if (!told.has(error.message)) options.onStatus?.('unreachable', error);
    told.add(error.message);
  });
  return redis;
}

/**
 * What budgets give Redis: without its answer each process is on its own, so a machine that is merely busy must not look
 * like one whose Redis is gone. In milliseconds.
 */
export const budgetTimeoutMs = 500;
