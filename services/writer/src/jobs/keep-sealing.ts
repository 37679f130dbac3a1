import { type Db, sealRefusals } from '@agp/db';

const sealEveryMs = 5_000;

/**
 * Several writers may call it: one at a time moves refusals of past minutes into the audit log's chain. Returns what stops it.
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
