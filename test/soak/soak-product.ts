import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { type Balancer, startBalancer } from '../lifecycle/rolling/start-balancer.ts';
import { type Clock, startClock } from '../system/clock/start-clock.ts';
import { type ProcessSystem, type ServiceProcess, startProcesses } from '../system/start-processes.ts';
import { type ServiceName, waitFor } from '../system/start-system.ts';

/** A process of a service, with a clock of its own. */
export interface SoakReplica {
  name: ServiceName;
  process: ServiceProcess;
  clock: Clock;
}

const replicas = 2;
const wordPauseMs = 100;

/** The whole product with two processes of each service behind balancers, and links to its servers. */
export class SoakProduct implements AsyncDisposable {
  readonly system: ProcessSystem;
  readonly provider: FakeProvider;
  readonly proxies: Balancer;
  readonly managements: Balancer;
  readonly running: SoakReplica[] = [];
  /** Requests that reached the provider. */
  billed = 0;
  readonly #opened: AsyncDisposableStack;

  constructor(opened: AsyncDisposableStack, system: ProcessSystem, provider: FakeProvider, balancers: Balancer[]) {
    this.#opened = opened;
    this.system = system;
    this.provider = provider;
    [this.proxies, this.managements] = balancers as [Balancer, Balancer];
  }

  /** Starts one more, and gives it its share once it is ready. */
  async start(name: ServiceName): Promise<SoakReplica> {
    const clock = startClock();
    const replica = { name, clock, process: await this.system.start(name, clock.environment) };
    this.running.push(replica);
    this.#balancerOf(name)?.add(replica.process);
    return replica;
  }

  list = (name: ServiceName) => this.running.filter((each) => each.name === name);

  /** Ends it with SIGKILL, or in order. */
  async end(replica: SoakReplica, how: 'kill' | 'stop'): Promise<void> {
    this.running.splice(this.running.indexOf(replica), 1);
    if (how === 'stop') await replica.process.stop();
    else await replica.process.kill();
    this.#balancerOf(replica.name)?.remove(replica.process);
    replica.clock[Symbol.dispose]();
  }

  /** What the test itself asks of Postgres, again where a starved machine is too late. */
  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    const { pool } = this.system.database;
    return waitFor('an answer of Postgres', () =>
      pool.query(text, values).then(
        ({ rows }) => rows as Row[],
        (error: { severity?: string }) => {
          // Postgres refuses the statement itself.
          if (error.severity === 'ERROR') throw error;
          return false as const;
        },
      ),
    );
  }

  /** A call of the management API by any replica, repeated until one answers. */
  async change(method: 'PUT', path: string, body: unknown): Promise<void> {
    await waitFor(`${method} ${path}`, async () => {
      const answer = await fetch(this.managements.url + path, {
        method,
        headers: {
          authorization: `Bearer ${this.system.apiKey}`,
          'content-type': 'application/json',
          connection: 'close',
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(5_000),
      }).catch(() => null);
      return answer?.ok;
    });
  }

  /** Waits until all replicas are ready. */
  async becomeReady(): Promise<void> {
    await waitFor(
      'all replicas to be ready',
      async () => {
        const asked = this.running.map(({ process }) =>
          fetch(`${process.opsUrl}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
            ({ status }) => status === 200,
            () => false,
          ),
        );
        return (await Promise.all(asked)).every(Boolean);
      },
      120_000,
    );
  }

  #balancerOf(name: ServiceName): Balancer | undefined {
    return { proxy: this.proxies, management: this.managements, writer: undefined }[name];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}

export async function startSoakProduct(): Promise<SoakProduct> {
  await using opened = new AsyncDisposableStack();
  let product: SoakProduct | undefined;
  const words = Array.from({ length: 20 }, (_, word) => ` word${word}`);
  const provider = opened.use(
    await startFakeProvider((received, index) => {
      if (product) product.billed += 1;
      // Hours of requests do not fit in memory.
      provider.requests.length = 0;
      const figures = { input: 40, output: 20, words, pauseMs: wordPauseMs };
      return answerCanned(figures)(received, index);
    }),
  );
  const system = opened.use(
    await startProcesses({
      proxies: 0,
      writers: 0,
      management: false,
      eventStream: false,
      ownPostgres: true,
      links: true,
      environment: {
        PROVIDER_OPENAI_URL: provider.url,
        LOG_LEVEL: 'fatal',
        DRAIN_DELAY_SECONDS: '1',
        SHUTDOWN_GRACE_SECONDS: '20',
        MAX_REGISTRATIONS_PER_MINUTE: '100000',
      },
    }),
  );
  const balancers = [
    opened.use(await startBalancer({ targets: [] })),
    opened.use(await startBalancer({ targets: [] })),
  ];
  product = new SoakProduct(opened.move(), system, provider, balancers);
  try {
    for (const name of ['writer', 'management', 'proxy'] as const)
      for (let at = 0; at < replicas; at += 1) await product.start(name);
    await product.becomeReady();
    return product;
  } catch (error) {
    await product[Symbol.asyncDispose]();
    throw error;
  }
}
