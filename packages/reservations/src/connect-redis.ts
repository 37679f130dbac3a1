import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { type RedisOptions as ClientOptions, Redis } from 'ioredis';
import { readSentinels } from './read-sentinels.ts';

export type RedisStatus = 'unreachable' | 'ready';

export interface RedisOptions {
  /** `redis://user:password@host:port`, or `rediss://` for TLS; or of sentinels, see {@link readSentinels}. */
  url: string;
  /** A PEM file with the authority of the server's certificate; with it every connection uses TLS. */
  caFile?: string | undefined;
  /** Called when Redis cannot be used, once for each reason (the message of `error`), and when it is back. */
  onStatus?: (status: RedisStatus, error?: Error) => void;
  /** How long an answer may take before the caller goes on without it, in milliseconds. 100 if not given. */
  commandTimeoutMs?: number | undefined;
}

/** Excluded from pipelining: it must be sent before its caller does anything else. */
export const forwardCommand = 'agpForward';

const pingEveryMs = 1_000;
/** So many unanswered pings in a row end a connection: its server may be gone without a word, and another stand in its place. */
const maxSilent = 5;

/**
 * Connects in the background, and reconnects for ever. A command fails at once while Redis is down, and after a timeout when it does not
 * answer: Redis never holds the only copy of anything, so no request waits longer for it.
 */
export function connectRedis(options: RedisOptions): Redis {
  const tls = options.caFile === undefined ? undefined : makeTls(options.caFile);
  const sentinels = readSentinels(options.url, tls);
  const common = {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands: [forwardCommand],
    maxRetriesPerRequest: 0,
    commandTimeout: options.commandTimeoutMs ?? 100,
    connectTimeout: 2_000,
    // The Redis user may not run CLIENT SETINFO.
    disableClientInfo: true,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
    // The server has become a replica: the name, or the sentinels, lead to the new master by now, or will soon.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  } satisfies ClientOptions;
  const redis = sentinels
    ? new Redis({ ...sentinels, ...common })
    : new Redis(options.url, { ...(tls ? { tls } : {}), ...common });
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
  leaveWhenSilent(redis);
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

function leaveWhenSilent(redis: Redis): void {
  let silent = 0;
  const ping = async () => {
    if (redis.status !== 'ready') return;
    silent = await redis.ping().then(
      () => 0,
      () => silent + 1,
    );
    if (silent < maxSilent) return;
    silent = 0;
    redis.disconnect(true);
  };
  const pinging = setInterval(() => void ping(), pingEveryMs).unref();
  redis.on('end', () => clearInterval(pinging));
}

/**
 * Command timeout for budgets, in milliseconds. Without Redis each process keeps budgets by itself, so a busy machine must not look like
 * one whose Redis is down.
 */
export const budgetTimeoutMs = 500;
