import type { DurableServers } from '@agp/local-stack';
import { type StartedProcess, startService } from './start-service.ts';

type Servers = Pick<DurableServers, 'databaseUrl' | 'natsUrl' | 'redisUrl'>;

export interface ProxyOptions {
  /** Null leaves it where this process is. */
  core?: number | null;
  /** Further ones for Node. */
  flags?: readonly string[];
  environment?: NodeJS.ProcessEnv;
  /** Where its source is, if not in this checkout. */
  checkout?: string;
}

/** Starts the proxy with one provider behind all names: on a core of its own, where no other is named. */
export function startProxy(
  servers: Servers,
  providerUrl: string,
  { core = 0, flags = [], environment = {}, checkout }: ProxyOptions = {},
): Promise<StartedProcess> {
  const providers = {
    PROVIDER_OPENAI_URL: providerUrl,
    PROVIDER_ANTHROPIC_URL: providerUrl,
    PROVIDER_GEMINI_URL: providerUrl,
  };
  return startService('proxy', servers, core, { ...providers, ...environment }, flags, checkout);
}
