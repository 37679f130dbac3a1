import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One replica of a service. */
export interface Target {
  /** Where its traffic goes. */
  url: string;
  /** Where its `/readyz` is. */
  opsUrl: string;
}

export interface Balancer extends AsyncDisposable {
  url: string;
  /** Connections that found no replica ready, or one that did not take them. */
  readonly refused: number;
  /** Takes a replica in; it gets connections once it is ready. */
  add(target: Target): void;
  /** Forgets a replica. Connections that it has go on. */
  remove(target: Target): void;
  isReady(target: Target): boolean;
}

const pollEveryMs = 200;

/**
 * Stands before several replicas like a Kubernetes service: it hands each new connection to the next one that is ready, by what `/readyz`
 * said last, and connections that are open stay where they are. It repeats nothing, so whoever loses no request behind it
 * loses none of its own doing.
 */
export async function startBalancer(options: { targets: readonly Target[] }): Promise<Balancer> {
  const readiness = new Map<Target, boolean>();
  const sockets = new Set<Socket>();
  const stopped = new AbortController();
  let next = 0;
  let refused = 0;

  const follow = async (target: Target) => {
    readiness.set(target, false);
    while (readiness.has(target) && !stopped.signal.aborted) {
      const isReady = await askReadiness(target);
      if (readiness.has(target) && isReady !== undefined) readiness.set(target, isReady);
      await sleep(pollEveryMs, undefined, { signal: stopped.signal }).catch(() => {});
    }
  };
  const choose = (): Target | undefined => {
    const ready = [...readiness].filter(([, isReady]) => isReady).map(([target]) => target);
    return ready[next++ % ready.length];
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = choose();
    if (target === undefined) {
      refused += 1;
      client.resetAndDestroy();
      return;
    }
    const { hostname, port } = new URL(target.url);
    const replica = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
    let isTaken = false;
    replica.once('connect', () => {
      isTaken = true;
    });
    replica.once('error', () => {
      if (!isTaken) refused += 1;
    });
    join(client, replica);
    join(replica, client);
    for (const socket of [client, replica]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  for (const target of options.targets) void follow(target);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get refused() {
      return refused;
    },
    add: (target) => void follow(target),
    remove: (target) => readiness.delete(target),
    isReady: (target) => readiness.get(target) === true,
    async [Symbol.asyncDispose]() {
      stopped.abort();
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Undefined without an answer in time: a kubelet too asks again before it believes that. */
async function askReadiness({ opsUrl }: Target): Promise<boolean | undefined> {
  try {
    const answer = await fetch(`${opsUrl}/readyz`, { signal: AbortSignal.timeout(1_000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? undefined : false;
  }
}

/** What one side says the other hears: bytes, an end as an end, and a reset as a reset. */
function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on('error', () => to.resetAndDestroy());
  from.once('close', () => to.destroySoon());
}
