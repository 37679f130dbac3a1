import { LRUCache } from 'lru-cache';

const precisionMs = 60_000;
const rememberedIds = 10_000;

/**
 * Records when keys or sessions were last used, at most once a minute for each and process, without requests waiting for it. After a
 * failure the next use tries again.
 *
 * @param touch stores a use
 */
export function noteUses(touch: (id: string, usedAt: Date) => Promise<void>): (id: string) => void {
  const noted = new LRUCache<string, true>({ max: rememberedIds, ttl: precisionMs });
  return (id) => {
    if (noted.has(id)) return;
    noted.set(id, true);
    touch(id, new Date()).catch(() => noted.delete(id));
  };
}
