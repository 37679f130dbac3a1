import { type Db, touchApiKey } from '@agp/db';
import { LRUCache } from 'lru-cache';

const precisionMs = 60_000;
const rememberedKeys = 10_000;

/**
 * Records when keys were last used, at most once a minute for each key and process, without requests waiting for it. After a failure
 * the next use tries again.
 */
export function noteKeyUses(db: Db): (keyId: string) => void {
  const noted = new LRUCache<string, true>({ max: rememberedKeys, ttl: precisionMs });
  return (keyId) => {
    if (noted.has(keyId)) return;
    noted.set(keyId, true);
    touchApiKey(db, keyId, new Date()).catch(() => noted.delete(keyId));
  };
}
