import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import type { Database, Db } from './database.ts';
import { guardPool } from './open-guarded-database.ts';
import type { Schema } from './schema.ts';

export class ShareExceededError extends Error {
  readonly code = 'share_exceeded';
}

export interface Shares {
  connections: number;
  /** Statements of one holder that may wait for a connection. */
  waiting: number;
  waitMs: number;
  /** {@link ShareExceededError} if not given. */
  refuse?: () => Error;
}

interface Share {
  running: number;
  queue: (() => void)[];
}

/** Statements beyond a holder's share wait, and fail if too many do or it takes too long. */
export function shareDatabase({ pool }: Database, shares: Shares): (holder: string) => Db {
  const guarded = guardPool(pool);
  const held = new Map<string, Share>();
  const { refuse = () => new ShareExceededError('too much at once') } = shares;

  async function take(holder: string): Promise<void> {
    const share = held.get(holder) ?? { running: 0, queue: [] };
    held.set(holder, share);
    if (share.running < shares.connections) {
      share.running += 1;
      return;
    }
    if (share.queue.length >= shares.waiting) throw refuse();
    const turn = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      share.queue.splice(share.queue.indexOf(turn.resolve), 1);
      turn.reject(refuse());
    }, shares.waitMs);
    share.queue.push(turn.resolve);
    await turn.promise.finally(() => clearTimeout(timer));
  }

  function giveBack(holder: string): void {
    const share = held.get(holder);
    if (share === undefined) return;
    const next = share.queue.shift();
    if (next !== undefined) next();
    else share.running -= 1;
    if (share.running === 0) held.delete(holder);
  }

  const poolOf = (holder: string): PostgresPool => ({
    ...guarded,
    async connect() {
      await take(holder);
      try {
        const client = await guarded.connect();
        return {
          query: client.query.bind(client) as typeof client.query,
          release(destroy) {
            client.release(destroy);
            giveBack(holder);
          },
        };
      } catch (error) {
        giveBack(holder);
        throw error;
      }
    },
  });
  return (holder) => new Kysely<Schema>({ dialect: new PostgresDialect({ pool: poolOf(holder) }) });
}
