import type { ChildProcess } from 'node:child_process';
import type { DurableServers } from '@agp/local-stack';
import { startPinned } from './start-pinned.ts';

/** Starts the proxy on a core of its own, with one provider behind all names. */
export function startProxy(
  servers: DurableServers,
  providerUrl: string,
): Promise<{ child: ChildProcess; url: string }> {
  return startPinned(`${import.meta.dirname}/../../services/proxy/src/main.ts`, {
    DATABASE_URL: servers.databaseUrl,
    NATS_URL: servers.natsUrl,
    REDIS_URL: servers.redisUrl,
    PROVIDER_OPENAI_URL: providerUrl,
    PROVIDER_ANTHROPIC_URL: providerUrl,
    PROVIDER_GEMINI_URL: providerUrl,
    HOST: '127.0.0.1',
    OPS_HOST: '127.0.0.1',
    PROXY_PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'warn',
  });
}
