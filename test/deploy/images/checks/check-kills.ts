import { setTimeout as sleep } from 'node:timers/promises';
import type { ComposeProject } from '../compose-project.ts';
import { runCommand } from '../run-command.ts';
import { readHealth } from './check-containers.ts';
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
