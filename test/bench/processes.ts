import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { serviceFlags } from '@agp/local-stack';
import type { DurableServers } from '@agp/testing/servers';
import autocannon from 'autocannon';
import { listChildren } from '../../packages/local-stack/src/guard/watched-process.ts';
import { chatRequest } from './chat-call.ts';

/** Whether processes can be held on a core here. */
export const canPin = process.platform === 'linux';

/** Moves this process, and all that it starts from now on, to a core. */
export function pinSelf(core: number): void {
  if (canPin) execFileSync('taskset', ['-a', '-cp', String(core), String(process.pid)], { stdio: 'ignore' });
}

/**
 * Starts a script as services are started. Resolves once it has told its URL.
 *
 * @param core where it runs; null leaves it where this process is
 * @param flags further ones for Node
 */
export async function startPinned(
  file: string,
  environment: NodeJS.ProcessEnv,
  core: number | null = 0,
  flags: readonly string[] = [],
): Promise<{ child: ChildProcess; url: string; opsUrl: string }> {
  const node = [process.execPath, ...serviceFlags, ...flags, file];
  const command = canPin && core !== null ? ['taskset', '-c', String(core), ...node] : node;
  const child = spawn(command[0] as string, command.slice(1), {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with code ${code} before it told its URL`);
  });
  // It ends later in the usual way.
  gone.catch(() => {});
  const [{ url, opsUrl = url }] = (await Promise.race([once(child, 'message'), gone])) as [
    { url: string; opsUrl?: string },
  ];
  return { child, url, opsUrl };
}

/** What services started here take for the management API. */
export const benchKey = 'agm_bench-key-of-nobody-0123456789';

/** A service, or a stand-in for one, as a process. */
export interface StartedProcess {
  child: ChildProcess;
  url: string;
  /** Health and metrics; of a stand-in, which has none, the same. */
  opsUrl: string;
}

/**
 * Starts a service on a core; null leaves it where this process is.
 *
 * @param checkout where its source is; this one if left out
 */
export function startService(
  name: 'proxy' | 'writer' | 'management',
  { databaseUrl, natsUrl, redisUrl }: Pick<DurableServers, 'databaseUrl' | 'natsUrl' | 'redisUrl'>,
  core: number | null,
  environment: NodeJS.ProcessEnv = {},
  flags: readonly string[] = [],
  checkout = `${import.meta.dirname}/../..`,
): Promise<StartedProcess> {
  const variables = {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    REDIS_URL: redisUrl,
    HOST: '127.0.0.1',
    OPS_HOST: '127.0.0.1',
    PROXY_PORT: '0',
    MANAGEMENT_PORT: '0',
    OPS_PORT: '0',
    MANAGEMENT_API_KEY: benchKey,
    LOG_LEVEL: 'warn',
    ...environment,
  };
  return startPinned(`${checkout}/services/${name}/src/main.ts`, variables, core, flags);
}

/** Ends processes, and resolves once they are gone. */
export async function stopAll(processes: readonly Pick<StartedProcess, 'child'>[]): Promise<void> {
  const gone = processes.map(({ child }) => once(child, 'exit'));
  for (const { child } of processes) child.kill('SIGTERM');
  await Promise.all(gone);
}

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

const ticksPerSecond = 100;

function readTicks(pid: number, first: number, last: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(first, last + 1).reduce((sum, field) => sum + Number(field), 0);
}

/** CPU time that a process has used so far, in seconds. Linux only. */
export function readCpu(pid: number): number {
  return readTicks(pid, 11, 12) / ticksPerSecond;
}

/** The same of a process, its children, and those of them that have ended: a Postgres is many processes. */
export function readTreeCpu(pid: number): number {
  const children = listChildren(pid).map((child) => {
    try {
      return readCpu(child);
    } catch {
      return 0; // It ended in between, and counts with its parent the next time.
    }
  });
  return children.reduce((sum, cpu) => sum + cpu, readTicks(pid, 11, 14) / ticksPerSecond);
}

/** Memory that a process holds at the moment, in bytes: what a container's limit is held against. Linux only. */
export function readResident(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Keeps a target fully busy until the compilers are done with it, as with one that has run for a while. */
export async function warmUp(
  url: string,
  agents: number,
  seconds: number,
  more: Record<string, string> = {},
): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench', ...more };
  const requests = Array.from({ length: agents }, (_, agent) => ({
    method: 'POST' as const,
    headers: { ...headers, 'x-agent-name': `bench-${agent}` },
    body: chatRequest,
  }));
  await autocannon({ url, connections: 32, duration: Math.ceil(seconds), requests });
}
