import { setTimeout as sleep } from 'node:timers/promises';
import { upgrade } from '../../../../packages/operator/src/compose/upgrade.ts';
import { askManagement } from '../../../lifecycle/rolling/ask-management.ts';
import { sendLoad } from '../../../lifecycle/rolling/send-load.ts';
import { LiveClient } from '../../../recording/exactly-once/live-client.ts';
import type { ComposeProject } from '../compose-project.ts';
import { runCommand } from '../run-command.ts';
import { judgeFailures } from './judge-failures.ts';
import { readMemory } from './read-memory.ts';
import { readEventIds, verifySessions } from './read-records.ts';
import { waitUntil } from './wait-until.ts';
import { watchStarvation } from './watch-starvation.ts';

/** Replaced by an upgrade, one container after the other. */
const replaced = ['proxy', 'writer', 'management'];

const listReplaced = async (project: ComposeProject) =>
  (await Promise.all(replaced.map((service) => project.containers(service)))).flat();

/**
 * Upgrades the project as `npm run compose:upgrade` does, while requests, streams, queries and a live client go on through the
 * balancer.
 *
 * @param perSecond requests
 * @returns what to print
 * @throws when a request failed, an event is missing, a chain is broken or a live client missed an event; the message begins with
 *   `not judged` when only the machine was too slow
 */
export async function upgradeUnderLoad(project: ComposeProject, perSecond: number): Promise<string> {
  const agentsUrl = await project.urlOf('balancer', 8080);
  const apiUrl = await project.urlOf('balancer', 8081);
  const before = new Set(await readEventIds(apiUrl, project.apiKey));
  const old = await listReplaced(project);

  const client = new LiveClient(apiUrl, project.apiKey, 10_000);
  const following = client.run().then(
    () => [],
    (error: Error) => [`live client: ${error.message}`],
  );
  await waitUntil('the live stream', () => client.connections > 0);
  const ending = new AbortController();
  const stopWatching = watchStarvation();
  const began = performance.now();
  const loading = sendLoad(agentsUrl, ending.signal, perSecond);
  const asking = askManagement(apiUrl, project.apiKey, ending.signal);
  await sleep(5_000);
  for (const line of await readMemory(project)) console.log(line);
  const engine = {
    docker: (...args: string[]) => runCommand(['docker', ...args]),
    compose: async (...args: string[]) => {
      const printed = await project.run(...args);
      // Version 1 of Compose lists services of profiles that are not used, such as those that have no image here.
      return args[0] === 'config'
        ? printed
            .split('\n')
            .filter((name) => project.services.includes(name))
            .join('\n')
        : printed;
    },
  };
  const failure = await upgrade(engine, { build: false, say: (line) => console.log(`  ${line}`) }).then(
    () => null,
    (error: Error) => error,
  );
  const seconds = (performance.now() - began) / 1_000;
  ending.abort();
  const [sent, asked] = await Promise.all([loading, asking]);
  const starvation = stopWatching();
  if (failure !== null) {
    client.stop();
    await following;
    throw failure;
  }
  const kept = new Set(await listReplaced(project)).intersection(new Set(old));
  if (kept.size > 0) throw new Error(`${kept.size} containers were not replaced`);

  const failures = sent.flatMap(({ kind, failure }) => (failure === null ? [] : [`${kind}: ${failure}`]));
  const wanted = new Set(sent.flatMap(({ eventId }) => eventId ?? []));
  let recorded = new Set<string>();
  const isRecorded = async () => {
    recorded = new Set(await readEventIds(apiUrl, project.apiKey)).difference(before);
    return wanted.isSubsetOf(recorded);
  };
  await waitUntil('every event to be recorded', isRecorded).catch(() => {});
  const hasSeenAll = waitUntil('the live client to have every event', () => wanted.isSubsetOf(client.seen));
  await Promise.race([hasSeenAll.catch(() => {}), following]);
  client.stop();
  const unfollowed = await following;
  const lost = wanted.difference(recorded);
  const unseen = wanted.difference(client.seen);
  const broken = await verifySessions(apiUrl, project.apiKey);
  const verdict = judgeFailures([...failures, ...asked.failures, ...unfollowed], starvation);
  if (verdict !== null && lost.size + broken.length === 0)
    throw new Error(`${verdict} (of ${sent.length} requests and ${asked.count} of management; no event is lost)`);
  if (lost.size + unseen.size + broken.length > 0)
    throw new Error(
      `of ${wanted.size} events ${lost.size} are not recorded and ${unseen.size} unseen by the live client; chains broken: ${broken}`,
    );
  // A request without an event is a failed one.
  if (recorded.size !== sent.length) throw new Error(`${sent.length} requests made ${recorded.size} events`);
  const streams = sent.filter(({ kind }) => kind === 'stream').length;
  return (
    `upgraded in ${seconds.toFixed(0)} s at ${perSecond} requests/s, ${old.length} containers one by one: ${sent.length} requests, ${streams} of them streams of 5 to 10 s, ` +
    `and ${asked.count} of management: 0 failed, ${recorded.size} events, none lost; the live client connected ${client.connections} times and has all`
  );
}
