import { timingSafeEqual } from 'node:crypto';
import { type Db, type FoundApiKey, findApiKeys } from '@agp/db';
import { coalesce } from '@agp/runtime/fairness';

/** Finds a key by the digest of its secret; undefined where no such secret works at this moment. */
export type FindKey = (secretSha256: Buffer) => Promise<FoundApiKey | undefined>;

/** One way for reads and one for changes: changes do not wait with reads, however many these are. */
export interface KeyFinders {
  forRead: FindKey;
  forChange: FindKey;
}

/** Looks keys up in Postgres on every request, together with those that wait at the same time. */
export function createKeyFinders(db: Db): KeyFinders {
  const makeFinder = (): FindKey => {
    const find = coalesce((digests: string[]) => findApiKeys(db, digests), { maxAsks: 100 });
    return async (digest) => {
      const key = await find(digest.toString('hex'));
      // The index compares in variable time, so its find is compared once more in constant time.
      return key !== undefined && timingSafeEqual(key.sha256, digest) ? key : undefined;
    };
  };
  return { forRead: makeFinder(), forChange: makeFinder() };
}
