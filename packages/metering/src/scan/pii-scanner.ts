import { createPiiFinder } from '@agp/pii';
import type { Holder } from '@agp/runtime/fairness';
import { createOffload, OffloadError } from '../text/offload.ts';
import { detach, listOwned, sizeOfAll, type TextSource } from '../text-source.ts';
import { ScanMemory } from './scan-memory.ts';
import { type PiiScan, type ScanRequest, scanTexts } from './scan-texts.ts';

export interface PiiScanner {
  scan(sources: readonly TextSource[], holder: Holder): Promise<PiiScan>;
  stop(): Promise<void>;
}

export interface PiiScannerOptions {
  /** Names are found by the worker alone, which has their lists: it then gets the small texts too. */
  personNames: boolean;
  /** How long one request's texts may be scanned, in milliseconds. The rest is not scanned. */
  budgetMs: number;
  /** Smaller texts are scanned where they are, which takes less than handing them to the worker; in bytes. */
  maxInline?: number;
  onWorkerError?: ((error: Error) => void) | undefined;
}

/**
 * An agent has a quarter, so that the largest body and its answer fit; bodies among them are counted in `MAX_BUFFERED_BYTES`.
 */
const maxPending = 4_000;
const maxPendingBytes = 256 * 1024 * 1024;

export function createPiiScanner(options: PiiScannerOptions): PiiScanner {
  const { personNames, budgetMs, maxInline = 16 * 1024, onWorkerError } = options;
  const find = createPiiFinder();
  const memory = new ScanMemory();
  const script = personNames ? './scan-names-worker.ts' : './scan-worker.ts';
  const offload = createOffload<ScanRequest, PiiScan>(new URL(script, import.meta.url), {
    timeoutMs: budgetMs * 2 + 5_000,
    maxPending,
    maxPendingBytes,
    *prepare(request) {
      const sources: TextSource[] = [];
      for (const source of request.sources) sources.push(yield* detach(source));
      return { content: { ...request, sources }, owned: sources.flatMap(listOwned) };
    },
    onWorkerError,
  });
  return {
    async scan(sources, holder) {
      const size = sources.reduce((sum, source) => sum + sizeOfAll(source), 0);
      if (size === 0 || (size <= maxInline && !personNames)) return scanTexts(sources, find, () => true, memory);
      try {
        return await offload.ask({ sources, budgetMs }, size, holder);
      } catch (error) {
        const isSlow = error instanceof OffloadError && error.code === 'slow';
        return { types: [], findings: [], extent: 'none', missed: isSlow ? 'out_of_time' : 'overloaded' };
      }
    },
    stop: () => offload.stop(),
  };
}
