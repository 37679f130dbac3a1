import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ApiError } from '@agp/core/errors';
import type { TriedText, TryRequest } from '@agp/policy';
import { maxTries, maxTryMs, shareOfReads } from '../limits.ts';

/** Whose texts are searched now. */
const trying: string[] = [];

/**
 * Searches in a thread of its own, which patterns that are meant to be slow hold up alone.
 * @throws ApiError `too_many_reads` if the holder has two under way, or all together too many, `invalid_parameter` if it takes too long
 */
export async function tryPolicies(request: TryRequest, holder: string, maxMs = maxTryMs): Promise<TriedText> {
  const own = trying.filter((each) => each === holder).length;
  if (own >= shareOfReads.connections || trying.length >= maxTries) throw new ApiError('too_many_reads');
  trying.push(holder);
  const limit = { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 128 } };
  const worker = new Worker(new URL('./try-worker.ts', import.meta.url), { workerData: request, ...limit });
  try {
    const [tried] = await once(worker, 'message', { signal: AbortSignal.timeout(maxMs) });
    return tried;
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    throw new ApiError('invalid_parameter', `policies: their patterns need more than ${maxMs} ms for this text`);
  } finally {
    trying.splice(trying.indexOf(holder), 1);
    await worker.terminate();
  }
}
