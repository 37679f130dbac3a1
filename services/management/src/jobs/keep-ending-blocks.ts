import { type Db, endBlocks } from '@agp/db';
import type { Logger } from '@agp/runtime';

const everyMs = 2_000;

/** Ends blocks whose time is over, in any number of processes at once. Returns what stops it. */
export function keepEndingBlocks(db: Db, logger: Logger): () => Promise<void> {
  let running: Promise<void> | null = null;
  const look = async () => {
    try {
      const count = await endBlocks(db);
      if (count > 0) logger.info({ count }, 'blocks ended: their time was over');
    } catch (error) {
      logger.warn(
        { error: (error as Error).message },
        'blocks whose time is over could not be ended; it is tried again',
      );
    } finally {
      running = null;
    }
  };
  const timer = setInterval(() => {
    running ??= look();
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
