import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from './run-command.ts';

/** How compose is called here: the plugin of the Docker CLI, or the older program. */
export type Compose = readonly [string, ...string[]];

async function works(command: readonly [string, ...string[]]): Promise<boolean> {
  try {
    await runCommand(command, { timeoutMs: 30_000 });
    return true;
  } catch {
    return false;
  }
}

export interface Engine {
  compose: Compose;
  /** A client that builds with BuildKit. */
  docker: string;
}

/** Clients from 23 on need the plugin buildx for it, older ones have it built in. */
async function findBuilder(): Promise<string | undefined> {
  if (await works(['docker', 'buildx', 'version'])) return 'docker';
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'docker'));
  for (const path of paths.filter((each) => existsSync(each))) {
    const version = await runCommand([path, 'version', '--format', '{{.Client.Version}}']).catch(() => '');
    if (Number.parseInt(version, 10) < 23) return path;
  }
  return undefined;
}

/** @returns how to call the engine and compose, or in a sentence why nothing can be run here */
export async function findEngine(): Promise<Engine | { missing: string }> {
  if (!(await works(['docker', 'version', '--format', '{{.Server.Version}}'])))
    return { missing: 'no Docker engine answers ("docker version" fails)' };
  const docker = await findBuilder();
  if (docker === undefined) return { missing: 'no Docker client builds with BuildKit ("docker buildx version" fails)' };
  for (const compose of [['docker', 'compose'], ['docker-compose']] as const)
    if (await works([...compose, 'version'])) return { compose, docker };
  return { missing: 'neither "docker compose" nor "docker-compose" is there' };
}
