import type { BusConnection } from './connect.ts';

const firstPatienceMs = 5_000;
const longestPatienceMs = 60_000;

/** Leaves a server that answers pings and does no work, such as a node cut off from its cluster; more and more rarely if none works. */
export class ServerPatience {
  readonly #connection: BusConnection;
  readonly #now: () => number;
  #since: number | null = null;
  #patienceMs = firstPatienceMs;

  constructor(connection: BusConnection, now: () => number = () => performance.now()) {
    this.#connection = connection;
    this.#now = now;
  }

  satisfy(): void {
    this.#since = null;
    this.#patienceMs = firstPatienceMs;
  }

  restart(): void {
    this.#since = null;
  }

  wait(): void {
    this.#since ??= this.#now();
    if (this.#now() - this.#since < this.#patienceMs) return;
    this.#since = null;
    this.#patienceMs = Math.min(2 * this.#patienceMs, longestPatienceMs);
    this.#connection.leaveServer();
  }
}
