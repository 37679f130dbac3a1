import { setTimeout as sleep } from 'node:timers/promises';
import { toPublicId } from '@agp/core/ids';
import { connectRedis } from '@agp/reservations';
import type { Link, LinkWeather, Server } from '@agp/testing';
import type { ServiceName } from '../system/start-system.ts';
import type { Random } from './make-random.ts';
import { soakAgents } from './soak-load.ts';
import type { SoakProduct } from './soak-product.ts';

/** Something that is lost, and comes back. */
export interface Fault {
  name: string;
  /** Some losses together lose traces of requests, as docs/operate.md says; these are kept apart. */
  endsProxy?: boolean;
  losesReservations?: boolean;
  run(product: SoakProduct, random: Random): Promise<void>;
}

const hourMs = 3_600_000;
const seconds = (random: Random, from: number, to: number) => sleep(1_000 * random.between(from, to));

function killAndReplace(name: ServiceName): Fault {
  return {
    name: `${name} killed`,
    endsProxy: name === 'proxy',
    async run(product, random) {
      await product.end(random.pick(product.list(name)), 'kill');
      await seconds(random, 0, 5);
      await product.start(name);
    },
  };
}

function stopAndReplace(name: ServiceName): Fault {
  return {
    name: `${name} replaced`,
    async run(product, random) {
      const old = random.pick(product.list(name));
      await product.start(name);
      await product.becomeReady();
      await product.end(old, 'stop');
    },
  };
}

function standStill(name: ServiceName, from: number, to: number): Fault {
  return {
    name: `${name} stood still for ${from} to ${to} s`,
    // Noted as ended, and then it sends its events after all.
    endsProxy: name === 'proxy',
    async run(product, random) {
      const { child } = random.pick(product.list(name)).process;
      child.kill('SIGSTOP');
      await seconds(random, from, to).finally(() => child.kill('SIGCONT'));
    },
  };
}

type ServerName = 'postgres' | 'nats' | 'redis';
const serverOf = ({ system }: SoakProduct, name: ServerName): Server => system.stack[name];
const linkOf = ({ system }: SoakProduct, name: ServerName): Link => system.links[name];

const listServerFaults = (name: ServerName): Fault[] => [
  {
    name: `${name} killed`,
    async run(product, random) {
      await serverOf(product, name).kill();
      try {
        await seconds(random, 0, 10);
      } finally {
        await serverOf(product, name).start();
      }
    },
  },
  {
    name: `${name} silent`,
    async run(product, random) {
      serverOf(product, name).pause();
      await seconds(random, 1, 10).finally(() => serverOf(product, name).resume());
    },
  },
  {
    name: `${name} cut off`,
    async run(product, random) {
      linkOf(product, name).cut();
      await seconds(random, 1, 10).finally(() => linkOf(product, name).mend());
    },
  },
  ...(
    [
      ['unreachable, connections open', { silent: true }, 10],
      ['200 ms away', { delayMs: 200 }, 20],
      ['losing 5 % of packets', { loss: 0.05 }, 20],
    ] as [string, LinkWeather, number][]
  ).map(
    ([how, weather, to]): Fault => ({
      name: `${name} ${how}`,
      async run(product, random) {
        linkOf(product, name).set(weather);
        await seconds(random, 3, to).finally(() => linkOf(product, name).set({}));
      },
    }),
  ),
];

function setClock(shiftMs: number): Fault {
  return {
    name: `a proxy's clock set ${shiftMs > 0 ? 'forward' : 'back'} by an hour`,
    async run(product, random) {
      const { clock } = random.pick(product.list('proxy'));
      await clock.set(shiftMs);
      await seconds(random, 5, 20);
      await clock.set(0);
    },
  };
}

/** All that the soak loses, one after the other, at random. */
export const soakFaults: Fault[] = [
  ...(['proxy', 'writer', 'management'] as const).flatMap((name) => [killAndReplace(name), stopAndReplace(name)]),
  killAndReplace('proxy'),
  killAndReplace('writer'),
  standStill('proxy', 1, 5),
  standStill('proxy', 32, 45),
  standStill('writer', 5, 45),
  ...(['postgres', 'nats', 'redis'] as const).flatMap(listServerFaults),
  {
    name: 'redis flushed',
    losesReservations: true,
    async run({ system }) {
      const redis = connectRedis({ url: system.stack.redisUrl, commandTimeoutMs: 30_000 });
      await new Promise((resolve) => redis.once('ready', resolve));
      await redis.flushall().finally(() => redis.disconnect());
    },
  },
  setClock(hourMs),
  setClock(-hourMs),
  {
    name: 'an agent blocked',
    async run(product, random) {
      const name = random.pick(soakAgents);
      const [agent] = await product.query<{ id: string }>('SELECT id FROM agents WHERE name = $1', [name]);
      const path = `/api/v1/agents/${toPublicId('agt', agent?.id ?? '')}`;
      await product.change('PUT', path, { status: 'blocked' });
      await seconds(random, 1, 10);
      await product.change('PUT', path, { status: 'active' });
    },
  },
  {
    name: 'everything paused',
    async run(product, random) {
      await product.change('PUT', '/api/v1/pause', { paused: true });
      await seconds(random, 1, 3);
      await product.change('PUT', '/api/v1/pause', { paused: false });
    },
  },
];
