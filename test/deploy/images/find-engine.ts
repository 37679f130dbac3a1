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

/** @returns how to call compose, or in a sentence why nothing can be run here */
export async function findEngine(): Promise<{ compose: Compose } | { missing: string }> {
  if (!(await works(['docker', 'version', '--format', '{{.Server.Version}}'])))
    return { missing: 'no Docker engine answers ("docker version" fails)' };
  for (const compose of [['docker', 'compose'], ['docker-compose']] as const)
    if (await works([...compose, 'version'])) return { compose };
  return { missing: 'neither "docker compose" nor "docker-compose" is there' };
}
