import { setPriority } from 'node:os';
import { openDatabase } from '@agp/db';
import type { DurableServers } from '@agp/testing/servers';
import { type StartedProcess, startPinned, startProxy, startService } from '../processes.ts';

/** One of the ways to the provider. */
export interface Target {
  name: string;
  origin: string;
  /** Before the provider's own path. */
  prefix: string;
  isOurs: boolean;
  /** What it is told in headers, beyond what the provider is. */
  headers?: Record<string, string>;
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

/** Lets a process go before others on its core: load that is sent late would be counted as the product's time. @returns whether we may */
export function preferProcess(pid: number): boolean {
  try {
    setPriority(pid, -5);
    return true;
  } catch {
    return false;
  }
}

/** Gives every second agent a cap that it does not reach. */
export async function setCaps(databaseUrl: string): Promise<void> {
  const database = openDatabase({ url: databaseUrl, applicationName: 'bench', maxConnections: 1 });
  await database.pool.query(`
    UPDATE agents SET daily_cap_usd = 100000
    WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER (ORDER BY name) AS row FROM agents) AS numbered WHERE row % 2 = 0)`);
  await database.close();
}
