import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { Redis } from 'ioredis';

export type RedisStatus = 'unreachable' | 'ready';

export interface RedisOptions {
  /** `redis://user:password@host:port`, or `rediss://` for TLS. */
  url: string;
  /** A PEM file with the authority of the server's certificate; with it every connection uses TLS. */
  caFile?: string | undefined;
  /** Called when Redis cannot be used, once for each reason (the message of `error`), and when it is back. */
  onStatus?: (status: RedisStatus, error?: Error) => void;
  /** How long an answer may take before the caller goes on without it, in milliseconds. 100 if not given. */
  commandTimeoutMs?: number;
}

/** Excluded from pipelining: it must be sent before its caller does anything else. */
export const forwardCommand = 'agpForward';

/**
 * Connects in the background, and reconnects for ever. A command fails at once while Redis is down, and after a timeout when it does not
 * answer: Redis never holds the only copy of anything, so no request waits longer for it.
 */
export function connectRedis(options: RedisOptions): Redis {
  const redis = new Redis(options.url, {
    ...(options.caFile === undefined ? {} : { tls: makeTls(options.caFile) }),
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands: [forwardCommand],
    maxRetriesPerRequest: 0,
    commandTimeout: options.commandTimeoutMs ?? 100,
    connectTimeout: 2_000,
    // The Redis user may not run CLIENT SETINFO.
    disableClientInfo: true,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  // Reasons since it was last ready.
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

/** Reads the file again for each connection, so that authorities can be rotated. @throws where it cannot be read now */
function makeTls(caFile: string): ConnectionOptions {
  let known = readFileSync(caFile);
  const readAgain = () => {
    try {
      known = readFileSync(caFile);
    } catch {
      // It is being replaced.
    }
    return known;
  };
  return Object.defineProperty({}, 'ca', { get: readAgain, enumerable: true });
}

/**
 * Command timeout for budgets, in milliseconds. Without Redis each process keeps budgets by itself, so a busy machine must not look like
 * one whose Redis is down.
 */
export const budgetTimeoutMs = 500;
