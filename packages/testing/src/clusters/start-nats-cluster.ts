import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderNatsConfig } from '@agp/bus/permissions';
import { findFreePort, type Guard, type ServerBinary, startServer } from '@agp/local-stack/servers';
import type { NatsPasswords } from '@agp/operator';
import { controlServer, type Server } from '../servers/server.ts';
import { type Relay, startRelay } from './start-relay.ts';

/** One of the servers. */
export interface NatsNode extends Server {
  /** As JetStream names the leader of a stream. */
  name: string;
  /** Cuts it off from the others; its clients still reach it. */
  cutOff(): void;
  /** Undoes `cutOff`. */
  rejoin(): void;
}

export interface NatsCluster extends AsyncDisposable {
  nodes: NatsNode[];
  /** An administrator's, of all servers. */
  url: string;
}

interface Plan {
  name: string;
  routePort: number;
  /** What the others connect to when they hear of this server. */
  gate: Relay;
}

const administrator = 'admin';

/** Starts NATS servers that are one cluster. All that they say to each other goes through relays, one for each direction. */
export async function startNatsCluster(
  binary: ServerBinary,
  folder: string,
  { guard, passwords, size = 3 }: { guard: Guard; passwords: NatsPasswords; size?: number },
): Promise<NatsCluster> {
  await using opened = new AsyncDisposableStack();
  const plans: Plan[] = [];
  for (let number = 1; number <= size; number += 1) {
    const routePort = await findFreePort();
    plans.push({ name: `n${number}`, routePort, gate: opened.use(await startRelay(routePort)) });
  }
  const nodes = await Promise.all(
    plans.map(async (plan) => {
      const others = plans.filter((other) => other !== plan);
      const ways = await Promise.all(others.map(async ({ routePort }) => opened.use(await startRelay(routePort))));
      const store = join(folder, plan.name);
      await mkdir(store, { recursive: true, mode: 0o700 });
      const configFile = join(store, 'nats.conf');
      const config = renderNatsConfig({
        passwords,
        administrator: { user: administrator, password: passwords.admin },
        storeFolder: store,
        jetstream: { max_file_store: '1TB' },
      });
      await writeFile(configFile, `${config}${renderCluster(plan, ways)}`, { mode: 0o600 });
      const server = await startServer(
        {
          name: 'nats',
          file: binary.file,
          environment: binary.environment,
          args: (port) => ['--config', configFile, '--addr', '127.0.0.1', '--port', String(port)],
          readyLine: /Server is ready/,
          stopSignals: ['SIGTERM'],
          url: (port) => `nats://${administrator}:${passwords.admin}@127.0.0.1:${port}`,
        },
        { guard, stopSignals: [] },
      );
      return { server: controlServer(server), ways, plan };
    }),
  );
  const relays = opened.move();
  const around = (name: string): Relay[] =>
    nodes.flatMap(({ plan, ways }) => {
      if (plan.name === name) return [plan.gate, ...ways];
      const others = plans.filter((other) => other !== plan);
      return ways.filter((_, index) => others[index]?.name === name);
    });
  return {
    nodes: nodes.map(({ server, plan: { name } }) => ({
      ...server,
      name,
      cutOff() {
        for (const relay of around(name)) relay.cut();
      },
      rejoin() {
        for (const relay of around(name)) relay.mend();
      },
    })),
    url: nodes.map(({ server }, index) => (index === 0 ? server.url : new URL(server.url).host)).join(','),
    [Symbol.asyncDispose]: () => relays.disposeAsync(),
  };
}

function renderCluster({ name, routePort, gate }: Plan, ways: readonly Relay[]): string {
  return [
    `server_name: ${name}`,
    'cluster {',
    '  name: agp',
    `  listen: "127.0.0.1:${routePort}"`,
    `  cluster_advertise: "127.0.0.1:${gate.port}"`,
    `  routes: [${ways.map(({ port }) => `"nats://127.0.0.1:${port}"`).join(', ')}]`,
    '}',
    '',
  ].join('\n');
}
