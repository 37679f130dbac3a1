import { ApiError } from '@agp/core/errors';
import { type Database, type Db, shareDatabase } from '@agp/db';
import type { Throttle } from '@agp/reservations';
import { FairShares } from '@agp/runtime/fairness';

/** Sign-ins and links of one key or person in a minute, and tries of one network with the OpenID provider. */
export const signInLimit = { name: 'management-auth:sign-in', points: 100, durationSeconds: 60 };

/** Exchanges with the OpenID provider at once; one network has at most a quarter. */
const maxExchanges = 16;

const refusal = (seconds: number) => new ApiError('too_many_sign_ins', { headers: { 'Retry-After': String(seconds) } });

/** What one key or person may have of the connections. */
const share = { connections: 1, waiting: 100, refuse: () => refusal(1) };

/**
 * What signing in and out of the console may take. It has connections of its own, so that changes, above all the kill switch, never wait
 * for it. Whoever guesses only joins a look-up that all who wait share. Limits count for a key or person that was found, so nobody
 * uses up another's.
 */
export class SignIns {
  /** For look-ups that all who wait share. */
  readonly db: Db;
  readonly #databaseOf: (holder: string) => Db;
  readonly #limit: Throttle;
  readonly #exchanges = new FairShares({ max: maxExchanges });

  /**
   * @param database connections for signing in only
   * @param waitMs longest wait for one of them, in milliseconds
   */
  constructor(database: Database, limit: Throttle, waitMs: number) {
    this.db = database.db;
    this.#databaseOf = shareDatabase(database, { ...share, waitMs });
    this.#limit = limit;
  }

  /** @param holder a key or person that storage knows */
  databaseOf(holder: string): Db {
    return this.#databaseOf(holder);
  }

  /**
   * Counts a sign-in or link of a key or person.
   *
   * @throws ApiError `too_many_sign_ins`
   */
  async admit(holder: string): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.#limit.consume(holder);
    if (!allowed) throw refusal(retryAfterSeconds);
  }

  /**
   * Asks the OpenID provider who somebody is. Nobody knows before, so this counts for the network.
   *
   * @throws ApiError `too_many_sign_ins`; what `ask` throws
   */
  async exchange<Result>(network: string, ask: () => Promise<Result>): Promise<Result> {
    await this.admit(`network ${network}`);
    // Whoever has a /64 of IPv6 has its neighbours too, as a rule: together they hold at most half.
    const holder = { agentId: network, source: network.split(':').slice(0, 3).join(':') };
    if (this.#exchanges.take(holder, 1) !== null) throw refusal(1);
    try {
      return await ask();
    } finally {
      this.#exchanges.giveBack(holder, 1);
    }
  }
}
