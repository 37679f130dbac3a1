import { type Db, sealRefusals } from '@agp/db';

const sealEveryMs = 5_000;

/**
 * Moves the refusals of past minutes into the audit log's chain while the writer runs. Several writers may call it: one at a time does
 * the work.
 *
 * @returns stops it, after the present round
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
