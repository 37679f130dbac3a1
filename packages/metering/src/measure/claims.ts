import type { ResponseReading } from '../answer/reading.ts';
import type { AnswerEnd, Call } from '../call.ts';
import type { ReportedCall } from '../dialects/operation.ts';

/** No provider has other ids, and one becomes a part of a path. */
export const plainId = /^[\w-]{1,256}$/;

/** The name by which a request in the background is found again. No bill's name has a space. */
export const nameStart = (bill: string) => `${bill} started`;

/** The name by which lists find the event that ended work in the background (`listDoubtfulUsage`). */
export const nameEnd = (startEventId: string) => `${startEventId} ended`;

/** False also if storage does not say so: then nobody could find it later, and it costs its estimate now. */
export const isStarted = ({ claimBill }: Call, bill: string) => claimBill(nameStart(bill)).catch(() => false);

/** A range, or an answer that was passed by, settles no bill: an agent can bring about both. */
export async function isBilledHere(
  call: Call,
  bill: string,
  end: AnswerEnd,
  reading: ResponseReading | null,
): Promise<boolean> {
  if (!isFetched(end, reading) || reading?.passedBy !== undefined || !reading?.usage) return false;
  if (!(await claim(call, bill))) return false;
  // Results that are paid for are in no doubt if a part of them is fetched again.
  await claim(call, nameDoubt(call, bill));
  return true;
}

/** A longer list is in doubt, as one that was cut. */
const maxListed = 100;

/** What a list shows and nobody was billed for yet; null if it is no whole list of batches that are done, or too long. */
export async function claimListed(
  call: Call,
  end: AnswerEnd,
  reading: ResponseReading,
): Promise<ReportedCall[] | null> {
  if (!reading.bills?.length || !isFetched(end, reading) || reading.passedBy !== undefined) return null;
  if (reading.bills.length > maxListed) return null;
  const ours = await Promise.all(reading.bills.map(({ id }) => claim(call, id)));
  const bills = reading.bills.filter((_, at) => ours[at]);
  await Promise.all(bills.map(({ id }) => claim(call, nameDoubt(call, id))));
  return bills.flatMap((bill) => bill.calls);
}

export async function claim({ claimBill }: Call, bill: string): Promise<boolean> {
  try {
    return await claimBill(bill);
  } catch {
    // Whether it was billed is unknown: a cost that is counted twice is noticed sooner than one that is missing.
    return true;
  }
}

/** SDKs hang up on a stream's last frame. */
export function isFetched({ outcome, status, streamed }: AnswerEnd, reading: ResponseReading | null): boolean {
  return status === 200 && (outcome === 'completed' || (outcome === 'aborted' && streamed && reading?.sawEnd === true));
}

/** The name by which a doubt about results is noted once; a list has no bill, so it is noted once a day for each agent. */
export function nameDoubt({ head, holder }: Call, bill: string | null): string {
  return `${bill ?? `${holder.agentId} ${new Date(head.timestamp).toISOString().slice(0, 10)}`} doubt`;
}
