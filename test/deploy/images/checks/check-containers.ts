import type { ComposeProject } from '../compose-project.ts';
import { runCommand } from '../run-command.ts';

interface Inspected {
  Name: string;
  State: { Pid: number; Health?: { Status: string } };
  Config: { User: string };
  HostConfig: { ReadonlyRootfs: boolean; CapAdd: string[] | null; CapDrop: string[] | null; Memory: number };
}

async function inspect(container: string): Promise<Inspected> {
  const [found] = JSON.parse(await runCommand(['docker', 'inspect', container])) as Inspected[];
  if (found === undefined) throw new Error(`no container ${container}`);
  return found;
}

export const readHealth = async (container: string): Promise<string> =>
  (await inspect(container)).State.Health?.Status ?? 'none';

/** Writes to the root file system of a container of ours, as the process in it could. */
const writeProbe = `try { fs.writeFileSync('/app/probe', ''); console.log('written'); } catch (error) { console.log(error.code); }
console.log(process.getuid(), process.getgid(), fs.readFileSync('/proc/1/cmdline', 'utf8').split('\\0')[0], fs.readFileSync('/proc/1/status', 'utf8').match(/CapEff:\\s*(\\S+)/)[1]);`;

/**
 * What the services' containers really are, looked at from inside: not root, without capabilities, unable to write to their
 * own files, Node as process 1. Those of the servers by what the engine was told.
 *
 * @returns what is wrong
 */
export async function checkContainers(project: ComposeProject): Promise<string[]> {
  const wrong: string[] = [];
  for (const service of ['proxy', 'writer', 'management', 'demo-provider', 'maintenance']) {
    for (const container of await project.containers(service)) {
      const seen = await runCommand(['docker', 'exec', container, 'node', '-e', writeProbe]);
      if (seen !== 'EROFS\n1000 1000 node 0000000000000000') wrong.push(`${service}: ${seen.replaceAll('\n', ', ')}`);
    }
  }
  for (const service of ['postgres', 'nats', 'redis', 'balancer', 'prometheus']) {
    for (const container of await project.containers(service)) {
      const { Config, HostConfig } = await inspect(container);
      const isBound = HostConfig.ReadonlyRootfs && HostConfig.CapDrop?.includes('ALL') && !HostConfig.CapAdd?.length;
      if (!isBound || /^(0|root)?(:|$)/.test(Config.User) || HostConfig.Memory === 0)
        wrong.push(`${service}: ${JSON.stringify({ user: Config.User, ...HostConfig })}`);
    }
  }
  return wrong;
}
