import type { BusConnection } from './connect.ts';

const firstPatienceMs = 5_000;
const longestPatienceMs = 60_000;

/**
 * Leaves a server that answers pings and does no work: a node that is cut off from its cluster accepts connections, and whatever is sent
 * to it gets nowhere. The connection then goes to another server that it knows. If none of them works, as without a majority, it changes
 * more and more rarely.
 */
export class ServerPatience {
  readonly #connection: BusConnection;
  readonly #now: () => number;
  /** Since when something is waited for on this server. */
  #since: number | null = null;
  #patienceMs = firstPatienceMs;

  constructor(connection: BusConnection, now: () => number = () => performance.now()) {
    this.#connection = connection;
    this.#now = now;
  }

  /** The server did what it was asked for, or nothing is asked. */
  satisfy(): void {
    this.#since = null;
    this.#patienceMs = firstPatienceMs;
  }

  /** A new connection gets its time. */
  restart(): void {
    this.#since = null;
  }

  /** Call it now and then while something is waited for. */
  wait(): void {
    this.#since ??= this.#now();
    if (this.#now() - this.#since < this.#patienceMs) return;
    this.#since = null;
    this.#patienceMs = Math.min(2 * this.#patienceMs, longestPatienceMs);
    this.#connection.leaveServer();
  }
}
