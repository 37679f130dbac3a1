import type { ConnectionOptions } from 'node:tls';
import { splitServerUrl } from '@agp/core/text';
import type { RedisOptions } from 'ioredis';

/**
 * Parses `redis+sentinel://user:password@host:26379,host:26379/name` (`rediss` for TLS): user and password are for Redis, `name` is the
 * master's; the sentinels' own are `?sentinel_username=` and `?sentinel_password=`. Null for a URL of Redis itself.
 */
export function readSentinels(
  text: string,
  given: ConnectionOptions | undefined,
): Omit<RedisOptions, 'replyMapping'> | null {
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
