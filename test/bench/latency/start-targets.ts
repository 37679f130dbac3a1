import type { DurableServers } from '@agp/local-stack';
import { startPinned } from '../start-pinned.ts';
import { startProxy } from '../start-proxy.ts';
import { type StartedProcess, startService } from '../start-service.ts';

/** One of the ways to the provider. */
export interface Target {
  name: string;
  origin: string;
  /** Before the provider's own path. */
  prefix: string;
  isOurs: boolean;
}

export interface Targets {
  all: Target[];
  /** The services of the product. */
  product: Record<'proxy' | 'writer' | 'management', StartedProcess>;
  bare: StartedProcess;
}

/** What the load brings about is counted there. */
const quiet = { LOG_LEVEL: 'error' };

/** Starts the product and a bare Node proxy before one provider. @param core of the two proxies; null lets the system choose */
export async function startTargets(
  servers: DurableServers,
  provider: StartedProcess,
  core: number | null,
): Promise<Targets> {
  const [writer, management] = [
    await startService('writer', servers, null, quiet),
    await startService('management', servers, null, quiet),
  ];
  const bare = await startPinned(`${import.meta.dirname}/../bare-proxy.ts`, { UPSTREAM_URL: provider.url }, core);
  const proxy = await startProxy(servers, provider.url, { core, environment: quiet });
  return {
    all: [
      { name: 'direct', origin: provider.url, prefix: '', isOurs: false },
      { name: 'bare Node', origin: bare.url, prefix: '', isOurs: false },
      { name: 'ours', origin: proxy.url, prefix: '/openai', isOurs: true },
    ],
    product: { proxy, writer, management },
    bare,
  };
}
