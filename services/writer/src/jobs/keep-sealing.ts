import { type Db, sealRefusals } from '@agp/db';
import { every } from '@agp/runtime';

const sealEveryMs = 5_000;

/**
 * Several writers may call it: one at a time moves refusals of past minutes into the audit log's chain. Returns what stops it.
 */
export function keepSealing(db: Db, onFailure: (error: Error) => void, everyMs = sealEveryMs): () => Promise<void> {
  const seal = async (ending: AbortSignal) => {
    while (!ending.aborted && (await sealRefusals(db)) > 0);
  };
  return every(everyMs, seal, onFailure);
}
