import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a running local stack's servers are, as the services' variables. */
export interface RunningServers {
  DATABASE_URL: string;
  NATS_URL: string;
  REDIS_URL: string;
}

const fileName = 'servers.json';

/** Notes where the servers are, for commands that an operator runs beside the stack. The URLs hold passwords. */
export function writeRunningServers(dataFolder: string, servers: RunningServers): void {
  writeFileSync(join(dataFolder, fileName), `${JSON.stringify(servers, null, 2)}\n`, { mode: 0o600 });
}

/** What the latest start noted; empty where there was none. */
export function readRunningServers(dataFolder: string): Partial<RunningServers> {
  try {
    return JSON.parse(readFileSync(join(dataFolder, fileName), 'utf8')) as RunningServers;
  } catch {
    return {};
  }
}
