import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../run-command.ts';
import type { Engine } from './engine.ts';

export interface RollTimes {
  /** How long a new container may take until it is healthy, in milliseconds. */
  readyMs: number;
  /** How long the balancer is given to find a healthy one, in milliseconds: it asks for addresses and health twice a second. */
  settleMs: number;
  /** How often health is read, in milliseconds. */
  pollMs: number;
}

const listRunning = async ({ compose }: Engine, service: string) =>
  new Set((await compose('ps', '--quiet', service)).split('\n').filter(Boolean));

/**
 * Replaces the running containers of a service one by one: the new one is ready before the old one stops, which then has its
 * `stop_grace_period`. Their number stays. Containers that had been stopped are removed.
 *
 * @returns how many were replaced
 * @throws CommandError if a new one does not become ready: it is removed, and the old ones go on
 */
export async function rollService(engine: Engine, service: string, times: RollTimes): Promise<number> {
  await engine.compose('rm', '--force', service);
  const old = await listRunning(engine, service);
  for (const container of old) {
    const before = await listRunning(engine, service);
    const scale = `${service}=${before.size + 1}`;
    await engine.compose('up', '--detach', '--no-deps', '--no-build', '--no-recreate', '--scale', scale, service);
    const added = [...(await listRunning(engine, service))].filter((each) => !before.has(each));
    try {
      if (added.length !== 1) throw new CommandError(`${added.length} containers of ${service} were started, not 1`);
      for (const each of added) await waitUntilHealthy(engine, service, each, times);
    } catch (error) {
      for (const each of added) await remove(engine, each);
      throw error;
    }
    await sleep(times.settleMs);
    await remove(engine, container);
  }
  return old.size;
}

async function remove({ docker }: Engine, container: string): Promise<void> {
  await docker('stop', container);
  await docker('rm', container);
}

async function waitUntilHealthy({ docker }: Engine, service: string, container: string, times: RollTimes) {
  const end = performance.now() + times.readyMs;
  const format = '{{.State.Status}} {{if .State.Health}}{{.State.Health.Status}}{{end}}';
  for (;;) {
    const state = await docker('inspect', '--format', format, container);
    if (state === 'running healthy') return;
    if (performance.now() > end) {
      const log = await docker('logs', '--tail', '5', container);
      throw new CommandError(
        `a new ${service} was ${state} after ${times.readyMs / 1_000} s; it is removed, the old ones go on. Its log ended with:\n${log}`,
      );
    }
    await sleep(times.pollMs);
  }
}
