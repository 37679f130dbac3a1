import { expect, test } from 'vitest';
import type { Engine } from './engine.ts';
import { rollService } from './roll-service.ts';
import { upgrade } from './upgrade.ts';

const times = { readyMs: 50, settleMs: 0, pollMs: 1 };

/** Containers by what Docker and Compose are asked to do with them, and what was asked. */
function startEngine(count: number, { healthOf = () => 'healthy' }: { healthOf?: (container: string) => string } = {}) {
  const asked: string[] = [];
  const containers = new Map<string, 'new' | 'old'>();
  for (let each = 1; each <= count; each++) containers.set(`old-${each}`, 'old');
  /** The fewest that could have answered at any time. */
  let fewest = count;
  let made = 0;
  const engine: Engine = {
    async compose(...args) {
      asked.push(args.join(' '));
      if (args[0] === 'config') return 'postgres\nmigrate\nproxy\nbalancer';
      if (args[0] === 'ps') return [...containers.keys()].join('\n');
      const scale = args.includes('--scale') ? Number(args[args.indexOf('--scale') + 1]?.split('=')[1]) : 0;
      while (containers.size < scale) containers.set(`new-${++made}`, 'new');
      return '';
    },
    async docker(...args) {
      const container = args.at(-1) ?? '';
      asked.push(args.join(' '));
      if (args[0] === 'inspect') return `running ${healthOf(container)}`;
      if (args[0] === 'rm') containers.delete(container);
      fewest = Math.min(fewest, [...containers.keys()].filter((each) => healthOf(each) === 'healthy').length);
      return args[0] === 'logs' ? 'PROVIDERS_FILE: no such file' : '';
    },
  };
  return { engine, asked, containers, fewest: () => fewest };
}

test('each container is replaced, and never are fewer ready than before', async () => {
  const { engine, containers, fewest } = startEngine(2);
  expect(await rollService(engine, 'proxy', times)).toBe(2);
  expect([...containers.values()]).toEqual(['new', 'new']);
  expect(fewest()).toBe(2);
});

test('a new container that does not become ready is removed, and the old ones stay', async () => {
  const { engine, asked, containers } = startEngine(2, {
    healthOf: (container) => (container.startsWith('new') ? 'starting' : 'healthy'),
  });
  await expect(rollService(engine, 'proxy', times)).rejects.toThrow(
    /a new proxy was running starting after 0.05 s; it is removed.*PROVIDERS_FILE: no such file/s,
  );
  expect([...containers.keys()]).toEqual(['old-1', 'old-2']);
  expect(asked.filter((line) => line.startsWith('stop'))).toEqual(['stop new-1']);
});

test('an upgrade migrates before it replaces, writers first, and touches the rest last', async () => {
  const { engine, asked } = startEngine(1);
  const said: string[] = [];
  await upgrade(engine, { build: true, times, say: (line) => said.push(line) });
  const steps = asked.filter((line) => /^(build|run|up|exec)/.test(line));
  const up = 'up --detach --no-deps --no-build --no-recreate --scale';
  expect(steps).toEqual([
    'build',
    'up --detach --no-build postgres nats redis',
    'run --rm create-roles',
    'run --rm migrate',
    `${up} writer=2 writer`,
    `${up} proxy=2 proxy`,
    `${up} management=2 management`,
    'up --detach --no-build --no-deps postgres balancer',
    'exec -T balancer sh -c kill -USR2 1',
  ]);
  expect(said.join('\n')).toContain('proxy: 1 replaced');
});
