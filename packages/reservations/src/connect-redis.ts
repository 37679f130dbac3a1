import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { LoginUrls, type ServerUrl } from '@agp/core/login-urls';
import { splitServerUrl } from '@agp/core/text';
import { type RedisOptions as ClientOptions, Redis } from 'ioredis';

export type RedisStatus = 'unreachable' | 'ready';

export interface RedisOptions {
  /**
   * `redis://user:password@host:port`, or `rediss://` for TLS; or of sentinels, see {@link readSentinels}. The login is chosen anew for
   * each connection; the rest is that of the first.
   */
  url: ServerUrl;
  /** PEM, for TLS. */
  caFile?: string | undefined;
  /** Called once for each reason (the message of `error`), and when Redis is back. */
  onStatus?: (status: RedisStatus, error?: Error) => void;
  /** In milliseconds. */
  commandTimeoutMs?: number | undefined;
}

/** The command is not pipelined: it must be sent before its caller does anything else. */
export const forwardCommand = 'agpForward';

const pingEveryMs = 1_000;
/** After so many unanswered pings another server may stand in its place. */
const maxSilent = 5;

/**
 * Reconnects for ever. A command fails at once while Redis is down, and after a timeout if it is silent: Redis never holds the only copy
 * of anything.
 */
export function connectRedis(options: RedisOptions): Redis {
  const tls = options.caFile === undefined ? undefined : makeTls(options.caFile);
  const logins = new LoginUrls(options.url);
  const url = logins.choose();
  const sentinels = readSentinels(url, tls);
  const common = {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands: [forwardCommand],
    maxRetriesPerRequest: 0,
    commandTimeout: options.commandTimeoutMs ?? 100,
    connectTimeout: 2_000,
    // The Redis user may not run CLIENT SETINFO.
    disableClientInfo: true,
    // The first at once: the server may have ended the connection alone.
    retryStrategy: (attempt) => (attempt === 1 ? 10 : Math.min(attempt * 100, 1_000)),
    // The server has become a replica: the name, or the sentinels, lead to the new master by now, or will soon.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  } satisfies ClientOptions;
  const redis = sentinels
    ? new Redis({ ...sentinels, ...common })
    : new Redis(url, { ...(tls ? { tls } : {}), ...common });
  const refuse = chooseLogins(redis.options, logins, url);
  const told = new Set<string>();
  redis.on('ready', () => {
    if (told.size > 0) options.onStatus?.('ready');
    told.clear();
  });
  redis.on('error', (error) => {
    if (/WRONGPASS|invalid username-password/.test(error.message)) refuse();
    if (!told.has(error.message)) options.onStatus?.('unreachable', error);
    told.add(error.message);
  });
  leaveWhenSilent(redis);
  return redis;
}

/** The client reads these options for each connection, names before passwords. @returns what takes the refusal of the last login */
function chooseLogins(options: ClientOptions, logins: LoginUrls, first: string): () => void {
  let tried = first;
  const read = (find: (url: URL) => string | null) =>
    decodeURIComponent(find(new URL(splitServerUrl(tried)[0] ?? '')) ?? '') || undefined;
  const readNext = (find: (url: URL) => string | null) => {
    tried = logins.choose();
    return read(find);
  };
  Object.defineProperties(options, {
    username: { get: () => readNext(({ username }) => username) },
    password: { get: () => read(({ password }) => password) },
    sentinelUsername: { get: () => readNext(({ searchParams }) => searchParams.get('sentinel_username')) },
    sentinelPassword: { get: () => read(({ searchParams }) => searchParams.get('sentinel_password')) },
  });
  return () => logins.refuse(tried);
}

/** The file is read for each connection, so that authorities can be rotated. */
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
 * In milliseconds: without Redis each process keeps budgets by itself, so a busy machine must not look like one without Redis.
 */
export const budgetTimeoutMs = 500;

/**
 * Parses `redis+sentinel://user:password@host:26379,host:26379/name` (`rediss` for TLS): user and password are for Redis, `name` is the
 * master's; the sentinels' own are `?sentinel_username=` and `?sentinel_password=`. Null for a URL of Redis itself.
 */
function readSentinels(text: string, given: ConnectionOptions | undefined): Omit<ClientOptions, 'replyMapping'> | null {
  const urls = splitServerUrl(text).map((part) => new URL(part));
  const [{ protocol, username, password, pathname, searchParams }] = urls as [URL, ...URL[]];
  if (!protocol.endsWith('+sentinel:')) return null;
  const tls = given ?? (protocol.startsWith('rediss') ? {} : undefined);
  return {
    sentinels: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 26379),
    })),
    name: decodeURIComponent(pathname.slice(1)),
    username: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    sentinelUsername: searchParams.get('sentinel_username') ?? undefined,
    sentinelPassword: searchParams.get('sentinel_password') ?? undefined,
    ...(tls ? { tls, sentinelTLS: tls, enableTLSForSentinelMode: true } : {}),
    // Sentinels tell of a promotion while the connection to the old master is still open.
    failoverDetector: true,
    sentinelCommandTimeout: 1_000,
    // Rarely: the library prints each failure by itself.
    sentinelReconnectStrategy: () => 30_000,
    sentinelRetryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  };
}
