import { uuidOf } from '@agp/core/ids';
import type { ResponseReading } from '@agp/metering';
import type { ProxyContext } from '../context.ts';
import type { AdmittedRequest, Answer } from '../journey.ts';
import { storageWaitMs } from '../storage/storage.ts';

/**
 * Whether this event carries the cost of what can be fetched again and again: the first one that fetched it whole does. Neither
 * a range of it nor an answer that was passed by may settle the bill for all of it, since its agent can bring about both.
 *
 * @param bill the provider's own id of what it bills once
 */
export async function isBilledHere(
  context: ProxyContext,
  { head }: AdmittedRequest,
  bill: string,
  answer: Answer,
  reading: ResponseReading | null,
): Promise<boolean> {
  const isWhole = answer.outcome === 'completed' && answer.status === 200 && reading?.passedBy === undefined;
  if (!isWhole || !reading?.usage) return false;
  const eventId = uuidOf('evt', head.eventId);
  try {
    return await context.storage.claimBill(
      { provider: head.provider.id, bill, eventId },
      performance.now() + storageWaitMs,
    );
  } catch {
    // Nobody knows. A cost that is counted twice is noticed sooner than one that is missing.
    return true;
  }
}
