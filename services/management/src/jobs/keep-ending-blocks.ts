import { type Db, endBlocks } from '@agp/db';
import { every, type Logger } from '@agp/runtime';

const everyMs = 2_000;

/** Ends blocks whose time is over, in any number of processes at once. Returns what stops it. */
export function keepEndingBlocks(db: Db, logger: Logger): () => Promise<void> {
  const look = async () => {
    const count = await endBlocks(db);
    if (count > 0) logger.info({ count }, 'blocks ended: their time was over');
  };
  return every(everyMs, look, ({ message }) =>
    logger.warn({ error: message }, 'blocks whose time is over could not be ended; it is tried again'),
  );
}
