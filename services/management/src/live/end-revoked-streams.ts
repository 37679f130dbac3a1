import { type Db, findValidKeys } from '@agp/db';
import type { LiveStreams } from './live-streams.ts';

const intervalMs = 2_000;

/**
 * Ends streams whose key was deleted or has expired, a few seconds later at most, with one query for all. While
 * Postgres is away nothing is known of the keys and the streams go on; nothing is recorded then either.
 *
 * @returns a function that stops looking
 */
export function endRevokedStreams(db: Db, streams: LiveStreams): () => void {
  let looking = false;
  const look = async () => {
    const keyIds = streams.keyIds;
    if (looking || keyIds.length === 0) return;
    looking = true;
    try {
      const valid = await findValidKeys(db, keyIds);
      const looked = new Set(keyIds);
      streams.endStreams((keyId) => looked.has(keyId) && !valid.has(keyId));
    } catch {
      // Looked again at the next turn.
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(() => void look(), intervalMs);
  return () => clearInterval(timer);
}
