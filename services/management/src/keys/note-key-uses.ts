import { type Db, touchApiKey } from '@agp/db';
import { LRUCache } from 'lru-cache';

/** How exactly the last use of a key is known, in milliseconds. */
const precisionMs = 60_000;
const rememberedKeys = 10_000;

/**
 * Makes what notes the use of a key, by UUID: at once, at most once a minute for each key and process, and never so that
 * a request waits for it. What storage does not take is tried with the next use.
 */
export function noteKeyUses(db: Db): (keyId: string) => void {
  const noted = new LRUCache<string, true>({ max: rememberedKeys, ttl: precisionMs });
  return (keyId) => {
    if (noted.has(keyId)) return;
    noted.set(keyId, true);
    touchApiKey(db, keyId, new Date()).catch(() => noted.delete(keyId));
  };
}
