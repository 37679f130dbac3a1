import type { Engine } from './engine.ts';
import { type RollTimes, rollService } from './roll-service.ts';

/** In the order in which they are replaced: a new writer takes what old proxies send, and not the other way round. */
const rolled = ['writer', 'proxy', 'management'];

/** Ended long ago, or run by hand. */
const once = ['nats-folder', 'create-roles', 'migrate', 'operator'];

const usualTimes: RollTimes = { readyMs: 120_000, settleMs: 3_000, pollMs: 500 };

interface UpgradeOptions {
  /** Builds the images first; else they are there. */
  build: boolean;
  times?: RollTimes;
  /** Is told each step that is done. */
  say: (line: string) => void;
}

/**
 * Brings a running Compose project to what its files say now, without a moment in which nobody answers: schema first, then the
 * services one by one, then everything else, which is replaced only where it changed.
 *
 * @throws CommandError at the first step that fails; what ran before it goes on
 */
export async function upgrade(engine: Engine, { build, times = usualTimes, say }: UpgradeOptions): Promise<void> {
  const { compose } = engine;
  if (build) {
    await compose('build');
    say('images are built');
  }
  await compose('up', '--detach', '--no-build', 'postgres', 'nats', 'redis');
  await compose('run', '--rm', 'create-roles');
  await compose('run', '--rm', 'migrate');
  say('the schema is up to date');
  for (const service of rolled) say(`${service}: ${await rollService(engine, service, times)} replaced`);
  // Not those again: "up" would replace all of them at once where it takes them for changed.
  const others = (await compose('config', '--services'))
    .split('\n')
    .filter((name) => ![...rolled, ...once].includes(name));
  await compose('up', '--detach', '--no-build', '--no-deps', ...others);
  // Reads its file again; open connections go on. From inside, since "docker kill" would also mean that nobody is to restart it.
  await compose('exec', '-T', 'balancer', 'sh', '-c', 'kill -USR2 1');
  say('everything else is up to date');
}
