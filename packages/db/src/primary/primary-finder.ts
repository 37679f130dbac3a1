import { setTimeout as sleep } from 'node:timers/promises';
import { splitServerUrl } from '@agp/core/text';
import pg from 'pg';
import { askRole, type ServerRole } from './ask-role.ts';

/** One server of those that the URL names. */
export interface DatabaseServer {
  host: string;
  port: number;
  /** With this server alone. */
  url: string;
}

/** An open connection, as far as it can be cut. */
interface Cuttable {
  readonly server: DatabaseServer;
  readonly timeline: number;
  cut(reason: Error): void;
}

interface FinderOptions {
  servers: readonly [DatabaseServer, ...DatabaseServer[]];
  /** Of the connections that only look. */
  client: pg.ClientConfig;
  /** How often the others are looked at, in milliseconds. */
  lookEveryMs?: number;
}

/** A search that found none is not repeated sooner, in milliseconds: many requests wait for it. */
const searchAgainMs = 250;
const usualLookMs = 2_000;
/** How long the other servers may take to answer once one has said that it is the primary, in milliseconds. */
const graceMs = 1_000;

/*
 * Which of several servers takes writes, as Postgres' own clients decide it with `target_session_attrs`, and one thing more: a promotion
 * counts up the server's timeline. Of two servers that take writes, the one with the lower timeline is the old primary of the other, come
 * back with a history of its own; what is written there is lost. So the highest timeline wins, no connection is made to one below the
 * highest ever seen, and connections that are open there are cut.
 */
export class PrimaryFinder {
  readonly #options: FinderOptions;
  readonly #open = new Set<Cuttable>();
  readonly #looking: NodeJS.Timeout | undefined;
  #primary: DatabaseServer | null = null;
  /** Of `#primary`; a connection may have seen a higher one since. */
  #primaryTimeline = 0;
  #timeline = 0;
  #search: Promise<DatabaseServer> | null = null;
  #failed: { error: Error; at: number } | null = null;

  constructor(options: FinderOptions) {
    this.#options = options;
    if (this.isOnly) this.#primary = options.servers[0];
    else this.#looking = setInterval(() => void this.#lookAtOthers(), options.lookEveryMs ?? usualLookMs).unref();
  }

  /** There is no choice. */
  get isOnly(): boolean {
    return this.#options.servers.length === 1;
  }

  /** The server to connect to. Rejects where none takes writes, with the reason of each. */
  find(): Promise<DatabaseServer> {
    if (this.#primary) return Promise.resolve(this.#primary);
    if (this.#failed && performance.now() - this.#failed.at < searchAgainMs) return Promise.reject(this.#failed.error);
    this.#search ??= this.#searchAll().finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  /** Holds what a server said when it was connected to against what is known. @throws Error where it must not be used */
  check(server: DatabaseServer, { isStandby, timeline }: ServerRole): void {
    if (isStandby) throw new Error(`${toName(server)} is a standby, not the primary`);
    if (timeline === null) return;
    if (timeline < this.#timeline) throw new Error(`${toName(server)} was the primary before another was promoted`);
    this.#timeline = timeline;
  }

  /** The server was not to be had: the next connection searches. */
  lose(server: DatabaseServer): void {
    if (!this.isOnly && this.#primary === server) this.#primary = null;
  }

  /** Cuts the connection if another server turns out to be its successor. @returns call it when the connection has ended */
  guard(connection: Cuttable): () => void {
    this.#open.add(connection);
    return () => this.#open.delete(connection);
  }

  stop(): void {
    clearInterval(this.#looking);
  }

  async #searchAll(): Promise<DatabaseServer> {
    const { servers } = this.#options;
    const reasons: string[] = [];
    const found: { server: DatabaseServer; timeline: number }[] = [];
    const first = Promise.withResolvers<void>();
    const asking = servers.map(async (server) => {
      try {
        const role = await this.#ask(server);
        this.check(server, role);
        found.push({ server, timeline: role.timeline ?? 0 });
        first.resolve();
      } catch (error) {
        reasons.push(describe(server, error));
      }
    });
    // A server that hangs must not hold up the others for long.
    const enough = first.promise.then(() => sleep(graceMs));
    await Promise.race([Promise.all(asking), enough]);
    // Those asked later may have raised what is known since.
    const [best] = found
      .toSorted((one, other) => other.timeline - one.timeline)
      .filter(({ timeline }) => timeline >= this.#timeline);
    if (best) {
      this.#settle(best.server, best.timeline);
      return best.server;
    }
    const error = new Error(`none of ${servers.length} servers is the primary: ${reasons.join('; ')}`);
    this.#failed = { error, at: performance.now() };
    throw error;
  }

  /** Another server may have been promoted while the old primary still answers. */
  async #lookAtOthers(): Promise<void> {
    const primary = this.#primary;
    if (primary === null) return;
    const others = this.#options.servers.filter((server) => server !== primary);
    await Promise.all(
      others.map(async (server) => {
        const role = await this.#ask(server).catch(() => null);
        if (role && !role.isStandby && (role.timeline ?? 0) > this.#primaryTimeline)
          this.#settle(server, role.timeline ?? 0);
      }),
    );
  }

  #settle(server: DatabaseServer, timeline: number): void {
    this.#primary = server;
    this.#primaryTimeline = timeline;
    this.#failed = null;
    this.#timeline = Math.max(this.#timeline, timeline);
    for (const connection of this.#open) {
      if (connection.server !== server && connection.timeline < timeline)
        connection.cut(
          new Error(`${toName(server)} was promoted, ${toName(connection.server)} is no longer the primary`),
        );
    }
  }

  async #ask(server: DatabaseServer): Promise<ServerRole> {
    const client = new pg.Client({ ...this.#options.client, connectionString: server.url });
    // One that breaks while it is asked rejects too.
    client.on('error', () => {});
    try {
      await client.connect();
      return await askRole(client, false);
    } finally {
      void client.end().catch(() => {});
    }
  }
}

const toName = ({ host, port }: DatabaseServer) => `${host}:${port}`;

const describe = (server: DatabaseServer, error: unknown) => {
  const { message } = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error);
  return message.startsWith(toName(server)) ? message : `${toName(server)}: ${message}`;
};

/** The servers of a URL, at least one: `postgres://user:password@one:5432,two:5432/name`. The port is 5432 unless given. */
export function readDatabaseServers(text: string): [DatabaseServer, ...DatabaseServer[]] {
  const [first = text, ...others] = splitServerUrl(text);
  return [toServer(first), ...others.map(toServer)];
}

function toServer(url: string): DatabaseServer {
  const { hostname = '', port = '' } = URL.parse(url) ?? {};
  return { url, host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) };
}
