import { setTimeout as sleep } from 'node:timers/promises';
import { sendLoad } from '../../../lifecycle/rolling/send-load.ts';
import type { ComposeProject } from '../compose-project.ts';
import { runCommand } from '../run-command.ts';
import { readHealth } from './check-containers.ts';
import { readEventIds, verifySessions } from './read-records.ts';
import { waitUntil } from './wait-until.ts';

/** Longer than the engine waits before it starts a container again, in milliseconds. */
const restartMs = 5_000;

const read = async (container: string, what: string) =>
  await runCommand(['docker', 'inspect', '--format', `{{${what}}}`, container]);

/**
 * A writer that dies is started again by the engine. One that is ended by `docker kill` counts as stopped by hand, whatever the
 * restart policy, until it is started by hand.
 *
 * @returns what to print
 */
export async function checkKills(project: ComposeProject): Promise<string> {
  const [writer = ''] = await project.containers('writer');
  process.kill(Number(await read(writer, '.State.Pid')), 'SIGKILL');
  await waitUntil('the engine to start a dead writer', async () => (await read(writer, '.RestartCount')) === '1');
  await waitUntil('it to be healthy', async () => (await readHealth(writer)) === 'healthy');
  await runCommand(['docker', 'kill', writer]);
  await sleep(restartMs);
  const state = await read(writer, '.State.Status');
  if (state !== 'exited')
    throw new Error(`after docker kill a writer is ${state}: docs/deploy.md says that it stays away`);
  await project.run('up', '--detach', '--no-build', 'writer');
  await waitUntil('docker compose up to bring it back', async () => (await readHealth(writer)) === 'healthy');
  return 'a writer that died was started again by the engine; after docker kill it stayed away until docker compose up';
}

const perSecond = 20;
/** What a proxy answered so shortly before it was killed, JetStream may not have confirmed: docs/operate.md. */
const unconfirmedMs = 1_000;

/**
 * A proxy is killed and Postgres restarted under a load: what was answered is recorded.
 *
 * @returns what to print
 */
export async function checkLosses(project: ComposeProject): Promise<string> {
  const ending = new AbortController();
  const loading = sendLoad(await project.urlOf('balancer', 8080), ending.signal, perSecond);
  await sleep(restartMs);
  const [proxy = ''] = await project.containers('proxy');
  process.kill(Number(await read(proxy, '.State.Pid')), 'SIGKILL');
  const killedAt = Date.now();
  await waitUntil('the engine to start a dead proxy', async () => (await read(proxy, '.RestartCount')) === '1');
  await waitUntil('it to be healthy', async () => (await readHealth(proxy)) === 'healthy');
  await project.run('restart', 'postgres');
  await sleep(restartMs);
  ending.abort();
  const sent = await loading;
  const answered = sent.filter(({ failure }) => failure === null);
  const mustBeThere = answered.filter(({ endedAt }) => endedAt > killedAt || endedAt < killedAt - unconfirmedMs);
  const url = await project.urlOf('balancer', 8081);
  const ids = new Set(mustBeThere.map(({ eventId }) => eventId ?? 'none'));
  await waitUntil('an event of each answer', async () =>
    ids.isSubsetOf(new Set(await readEventIds(url, project.apiKey).catch(() => []))),
  );
  const broken = await verifySessions(url, project.apiKey);
  if (broken.length > 0) throw new Error(`chains broken: ${broken}`);
  const last = sent.at(-1)?.failure ?? null;
  if (last !== null) throw new Error(`after Postgres was restarted: ${last}`);
  return (
    `a proxy killed and Postgres restarted under ${perSecond} requests/s: ${sent.length - answered.length} of ${sent.length} failed, ` +
    'each that was answered has its event, every chain is whole'
  );
}
