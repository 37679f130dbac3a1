import type { ComposeProject } from '../compose-project.ts';
import { readHealth } from './check-containers.ts';
import { readEventIds, verifySessions } from './read-records.ts';
import { waitUntil } from './wait-until.ts';

const services = ['proxy', 'writer', 'management'];

/**
 * Upgrades the project as docs/deploy.md says, to images of the same version: every container is another one afterwards, and the
 * records are as they were.
 *
 * @returns what to print
 */
export async function checkUpgrade(project: ComposeProject): Promise<string> {
  const list = async () => (await Promise.all(services.map((service) => project.containers(service)))).flat();
  const old = new Set(await list());
  const events = new Set(await readEventIds(await project.urlOf('balancer', 8081), project.apiKey));
  await project.run('run', '--rm', 'migrate');
  await project.run('up', '--detach', '--no-build', '--force-recreate');
  const containers = await list();
  if (containers.some((container) => old.has(container))) throw new Error('a container was not replaced');
  for (const container of containers)
    await waitUntil('the services to be healthy', async () => (await readHealth(container)) === 'healthy');
  const url = await project.urlOf('balancer', 8081);
  await waitUntil('the management API to have the events of before', async () =>
    events.isSubsetOf(new Set(await readEventIds(url, project.apiKey).catch(() => []))),
  );
  const broken = await verifySessions(url, project.apiKey);
  if (broken.length > 0) throw new Error(`chains broken by the upgrade: ${broken}`);
  return `upgraded by hand: ${containers.length} containers replaced, ${events.size} events there, every chain whole`;
}
