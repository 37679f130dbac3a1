import { setTimeout as sleep } from 'node:timers/promises';
import { askManagement } from '../../lifecycle/rolling/ask-management.ts';
import { requestsPerSecond, sendLoad } from '../../lifecycle/rolling/send-load.ts';
import { type Balancer, startBalancer, type Target } from '../../lifecycle/rolling/start-balancer.ts';
import { LiveClient } from '../../recording/exactly-once/live-client.ts';
import { readHealth } from './check-containers.ts';
import type { ComposeProject } from './compose-project.ts';
import { readMemory } from './read-memory.ts';
import { readEventIds, verifySessions } from './read-records.ts';
import { runCommand } from './run-command.ts';

/** Longer than any stop_grace_period of the compose file, in seconds. */
const stopSeconds = '60';
const waitMs = 90_000;

export async function waitUntil(what: string, isDone: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + waitMs;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`waited ${waitMs / 1_000} s for ${what}`);
    await sleep(200);
  }
}

interface Replicas {
  ports: { url: number; ops: number };
  balancer: Balancer;
  targets: Map<string, Target>;
}

async function startReplicas(project: ComposeProject, service: string, ports: Replicas['ports']): Promise<Replicas> {
  const targets = new Map<string, Target>();
  for (const container of await project.containers(service))
    targets.set(container, await toTarget(project, container, ports));
  const balancer = await startBalancer({ targets: [...targets.values()] });
  const all = [...targets.values()];
  await waitUntil(`two replicas of ${service}`, () => all.length === 2 && all.every((each) => balancer.isReady(each)));
  return { ports, balancer, targets };
}

const toTarget = async (project: ComposeProject, container: string, { url, ops }: Replicas['ports']) => ({
  url: await project.urlOf(container, url),
  opsUrl: await project.urlOf(container, ops),
});

/** Restarts one replica after the other; each is ready again before the next one stops. */
async function restartEach(project: ComposeProject, { ports, balancer, targets }: Replicas): Promise<void> {
  for (const [container, target] of targets) {
    await runCommand(['docker', 'stop', '--time', stopSeconds, container]);
    balancer.remove(target);
    await runCommand(['docker', 'start', container]);
    const started = await toTarget(project, container, ports);
    balancer.add(started);
    await waitUntil('a replica to be ready again', () => balancer.isReady(started));
    await sleep(500);
  }
}

/**
 * Restarts every container of the three services, two replicas of each, one after the other, while requests, streams,
 * queries and live clients go on.
 *
 * @returns what to print
 * @throws when a request failed, an event is missing, a chain is broken or a live client missed an event
 */
export async function rollServices(project: ComposeProject): Promise<string> {
  const before = new Set(await readEventIds(await managementUrl(project), project.apiKey));
  const proxies = await startReplicas(project, 'proxy', { url: 8080, ops: 9080 });
  await using proxyBalancer = proxies.balancer;
  const managements = await startReplicas(project, 'management', { url: 8081, ops: 9081 });
  await using managementBalancer = managements.balancer;
  const writers = await project.containers('writer');
  if (writers.length !== 2) throw new Error(`${writers.length} writers in place of 2`);

  const client = new LiveClient(managementBalancer.url, project.apiKey, 10_000);
  const following = client.run();
  await waitUntil('the live stream', () => client.connections > 0);
  const ending = new AbortController();
  const began = performance.now();
  const loading = sendLoad(proxyBalancer.url, ending.signal);
  const asking = askManagement(managementBalancer.url, project.apiKey, ending.signal);
  await sleep(5_000);
  for (const line of await readMemory(project)) console.log(line);
  await restartEach(project, proxies);
  for (const writer of writers) {
    await runCommand(['docker', 'stop', '--time', stopSeconds, writer]);
    await runCommand(['docker', 'start', writer]);
    await waitUntil('a writer to be ready again', async () => (await readHealth(writer)) === 'healthy');
  }
  await restartEach(project, managements);
  ending.abort();
  const seconds = (performance.now() - began) / 1_000;
  const [sent, asked] = await Promise.all([loading, asking]);

  const failures = [
    ...sent.flatMap(({ kind, failure }) => (failure === null ? [] : [`${kind}: ${failure}`])),
    ...asked.failures,
  ];
  // A request without an event is a failed one.
  const wanted = new Set(sent.flatMap(({ eventId }) => eventId ?? []));
  let recorded = new Set<string>();
  const url = managementBalancer.url;
  const isRecorded = async () => {
    recorded = new Set(await readEventIds(url, project.apiKey)).difference(before);
    return recorded.size >= wanted.size;
  };
  await waitUntil('every event to be recorded', isRecorded).catch(() => {});
  await waitUntil('the live client to have every event', () => wanted.isSubsetOf(client.seen)).catch(() => {});
  client.stop();
  await following;
  const lost = wanted.difference(recorded);
  const unseen = wanted.difference(client.seen);
  const broken = await verifySessions(url, project.apiKey);
  if (failures.length + lost.size + unseen.size + broken.length > 0 || recorded.size !== sent.length)
    throw new Error(
      `of ${sent.length} requests ${failures.length} failed (${failures.slice(0, 5).join('; ')}); of ${wanted.size} events ` +
        `${lost.size} are not recorded and ${unseen.size} unseen by the live client, ${recorded.size} are there; chains broken: ${broken}`,
    );
  const streams = sent.filter(({ kind }) => kind === 'stream').length;
  return (
    `6 containers restarted in ${seconds.toFixed(0)} s at ${requestsPerSecond} requests/s: ${sent.length} requests, ${streams} of them streams of 5 to 10 s, ` +
    `and ${asked.count} of management: 0 failed, ${recorded.size} events, none lost; the live client connected ${client.connections} times and has all`
  );
}

async function managementUrl(project: ComposeProject): Promise<string> {
  const [container = ''] = await project.containers('management');
  return await project.urlOf(container, 8081);
}
