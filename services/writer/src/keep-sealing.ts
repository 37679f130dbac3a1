import { type Db, sealRefusals } from '@agp/db';

const sealEveryMs = 5_000;

/**
 * Moves the refusals of minutes that are over into the audit log's chain, as long as the writer runs. Several writers may
 * do so at once: one does the work.
 *
 * @returns stops it, after what is under way
 */
export function keepSealing(db: Db, onFailure: (error: Error) => void, everyMs = sealEveryMs): () => Promise<void> {
  let sealing: Promise<void> | null = null;
  let stopped = false;
  const seal = async () => {
    try {
      while (!stopped && (await sealRefusals(db)) > 0);
    } catch (error) {
      onFailure(error as Error);
    } finally {
      sealing = null;
    }
  };
  const timer = setInterval(() => {
    sealing ??= seal();
  }, everyMs);
  return async () => {
    clearInterval(timer);
    stopped = true;
    await sealing;
  };
}
