import { setImmediate } from 'node:timers/promises';
import { makeUsage, type Usage } from '@agp/catalogue';
import type { ResponseReading } from '../answer/reading.ts';
import { type AnswerEnd, type Call, type Doubt, type Measurement, unmeasured } from '../call.ts';
import { listTiers } from '../call-head.ts';
import { type Operation, sumCalls } from '../dialects/operation.ts';
import { joinTiers } from '../dialects/tier.ts';
import { type MeteringParts, unpricedNanoUsd } from '../metering-parts.ts';
import { type Bill, BillCalls } from './bill-calls.ts';
import {
  claim,
  claimListed,
  isBilledHere,
  isFetched,
  isStarted,
  nameDoubt,
  nameEnd,
  nameStart,
  plainId,
} from './claims.ts';
import { estimateUsage } from './estimate-usage.ts';
import type { CallTexts } from './scan-call.ts';

export interface Seen {
  reading: ResponseReading | null;
  texts: CallTexts;
  reported: BillCalls | null;
}

export type Measured = Omit<Measurement, 'outcome' | 'piiTypes' | 'piiFindings' | 'piiScan' | 'unscanned'>;

/**
 * The provider bills, so its figures are the record. A call without figures that can be is estimated; under a cap it costs at
 * least its reservation, since agents could otherwise save by leaving early.
 */
export async function measureUsage(parts: MeteringParts, call: Call, end: AnswerEnd, seen: Seen): Promise<Measured> {
  const { head, body } = call;
  const { reading } = seen;
  const requestedModel = body?.requestedModel ?? null;
  const answeredModel = reading?.model ?? null;
  const model = answeredModel ?? requestedModel;
  const free = { ...unmeasured, model, answeredModel, requestedModel, unread: reading?.unread ?? [] };
  if (head.operation === null) return { ...free, ...priceUnknownPath(call, end) };
  if (body?.startsUnseen && mayHaveServed(end)) {
    return { ...free, ...priceUnknown(call), doubt: doubtOf('unreadable') };
  }
  const { settlesBackground = false } = head.operation;
  if (head.operation.isFree || (!settlesBackground && !mayBeBilled(end, reading))) return free;
  const billedOnce = head.operation.billedOnce?.(head.path) ?? null;
  const start = settlesBackground ? await findStart(call, billedOnce, end, reading) : null;
  const isUnbilled = settlesBackground && (start === null || reading?.isUnbilled === true);
  const isBilledElsewhere = billedOnce !== null && !isUnbilled && !(await isBilledHere(call, billedOnce, end, reading));
  if (settlesBackground && isBilledElsewhere) return free;
  if (start?.settledEventId) await claim(call, nameEnd(start.settledEventId));
  if (isUnbilled) return { ...free, ...start };
  const ours = reading && (await claimListed(call, end, reading));
  if (ours !== null) {
    const told = { ...reading, calls: ours, usage: sumCalls(ours).usage } as ResponseReading;
    return ours.length === 0 ? free : { ...free, ...(await measureTold(parts, call, told, null, [])) };
  }
  if (head.operation.showsOtherBills || isBilledElsewhere) {
    return { ...free, ...(await measureUnbilled(parts, call, end, seen, billedOnce)) };
  }
  // If the answer names no model, any that the request may mean can have made it.
  const models = answeredModel === null ? (body?.models ?? []) : [answeredModel];
  const isTold = reading?.usageIsFinal && isCounted(reading.usage, seen.texts);
  const unpaid = isTold ? await leaveOutPaid(call, reading) : null;
  const told = unpaid && (await measureTold(parts, call, unpaid, seen.reported, models));
  // Tokens do not price a model that is paid by the length of sound.
  const lacksLength = Boolean(told?.unpriced?.length && body?.toldUsage.inputAudioSeconds);
  const untold =
    told === null || lacksLength ? await measureUntold(parts, call, head.operation, end, seen, models) : null;
  const measured = { ...free, ...(lacksLength && untold?.unpriced?.length ? told : (untold ?? told)) };
  if (start !== null) return { ...measured, ...start };
  const id = body?.inBackground ? (reading?.id ?? null) : null;
  if (id === null || !plainId.test(id)) return measured;
  if (told !== null) {
    await claim(call, id);
    return measured;
  }
  const cancelPath = head.operation.cancelPath?.(head.path, id) ?? null;
  return { ...((await isStarted(call, id)) ? { ...free, ...postpone(measured) } : measured), cancelPath };
}

/** A later answer has the figures. Until then the estimate is held, and listed. */
function postpone({ unpriced, costNanoUsd, promptTokens, completionTokens }: Measured): Partial<Measured> {
  const doubt = { reason: 'billed_later', promptTokens, completionTokens, costNanoUsd } as const;
  return { unpriced, heldNanoUsd: costNanoUsd, doubt };
}

/**
 * The event of the request that started what this answer shows, if it is done, or none for what was started without us; null if it
 * was not in the background, or its figures are missing.
 */
async function findStart(
  { findClaim }: Call,
  bill: string | null,
  end: AnswerEnd,
  reading: ResponseReading | null,
): Promise<Pick<Measured, 'settledEventId'> | null> {
  const isTold = reading !== null && ((reading.usage !== null && reading.usageIsFinal) || reading.isUnbilled === true);
  if (bill === null || !isTold || !isFetched(end, reading)) return null;
  const settledEventId = await findClaim(nameStart(bill)).catch(() => null);
  return settledEventId !== null || reading.isOfBackground ? { settledEventId } : null;
}

function priceUnknownPath(call: Call, end: AnswerEnd) {
  if (!call.head.hasBody || !mayHaveServed(end)) return {};
  return { isUnknownPath: true, ...priceUnknown(call) };
}

/** An unknown cost is a fixed amount under a cap: what was reserved for it. */
function priceUnknown({ reservation }: Call) {
  return reservation.isCapped ? { costNanoUsd: unpricedNanoUsd, usageSource: 'estimated' as const } : {};
}

const mayHaveServed = ({ status, sent }: AnswerEnd) => (status === null ? sent : status >= 200 && status < 300);

function mayBeBilled({ sent, status }: AnswerEnd, reading: ResponseReading | null): boolean {
  if (!sent || reading?.isUnbilled) return false;
  // "Not modified" answers the agent's own condition and is no refusal. A redirect is not followed.
  const isRefusal = status !== null && status >= 300 && status < 600 && status !== 304;
  return isRefusal || reading?.isError ? (reading?.usage ?? null) !== null : true;
}

/**
 * Results fetched in part, in a list, or unreadable are one doubt with the sum that came, since nobody may ever fetch them
 * whole. Under a cap it costs what came, and costs again once fetched whole.
 */
async function measureUnbilled(
  parts: MeteringParts,
  call: Call,
  end: AnswerEnd,
  { reading, reported }: Seen,
  billedOnce: string | null,
): Promise<Partial<Measured>> {
  if (reading === null) return {};
  const isUnseen = reading.usage === null && (!reading.inspected || reading.isUntold === true);
  const isWhole = isFetched(end, reading) && !call.head.operation?.showsOtherBills;
  if (isWhole && !isUnseen) return {};
  const models = reading.model === null ? [] : [reading.model];
  const bill = reading.usage === null ? reported?.read() : await addUp(parts, call, reading, reported, models);
  const sum = bill && bill.usage.promptTokens + bill.usage.completionTokens > 0 ? bill : null;
  const isEmpty = reading.length === 0 && !isWhole;
  if (sum === null && (isEmpty || (!isUnseen && end.outcome === 'completed'))) return {};
  if (!(await claim(call, nameDoubt(call, billedOnce)))) return {};
  const doubt = doubtOf('unreadable', sum?.disbelieved ?? sum ?? undefined);
  if (billedOnce === null || !call.reservation.isCapped) return { doubt };
  return { ...(sum ? { ...readBill(sum), usageSource: 'estimated' } : priceUnknown(call)), doubt };
}

/** Servers that do not count say 0 or leave a figure out: a call has some input, and some output if text was written. */
function isCounted(usage: Usage | null, { answer }: CallTexts): boolean {
  if (usage === null) return false;
  const { promptTokens, completionTokens } = usage;
  if (promptTokens + completionTokens === 0) return Object.values(usage).some((count) => count > 0);
  const wroteText = answer !== null && 'parts' in answer && answer.parts.some((part) => part.trim() !== '');
  return promptTokens > 0 && (completionTokens > 0 || !wroteText || usage.inputAudioSeconds > 0);
}

/** An answer may report up to 100,000 calls: others have their turn after this many, which take a few milliseconds. */
const maxPricedAtOnce = 1_000;

async function addUp(
  parts: MeteringParts,
  call: Call,
  reading: ResponseReading,
  reported: BillCalls | null,
  models: readonly string[],
): Promise<Bill> {
  const sum = reported ?? new BillCalls(parts, call, { models, serviceTier: findTiers(call, reading) });
  if (reported === null) {
    for (const [index, each] of sum.listCalls(reading).entries()) {
      if (index > 0 && index % maxPricedAtOnce === 0) await setImmediate();
      sum.add(each);
    }
  }
  return sum.read();
}

/** One price of a container covers so many milliseconds, for all who use it. */
const containerMs = 20 * 60_000;

/** An answer's containers beyond this many cost anew. */
const maxClaimed = 10;

/** A container costs in the first answer of each 20 minutes that used it. */
async function leaveOutPaid(call: Call, reading: ResponseReading): Promise<ResponseReading> {
  const { containers, usage, calls } = reading;
  if (!containers?.size) return reading;
  const slot = Math.floor(call.head.timestamp / containerMs);
  const claims = [...containers].slice(0, maxClaimed).map((id) => claim(call, `${id} ${slot}`));
  const paid = (await Promise.all(claims)).filter((isOurs) => !isOurs).length / containers.size;
  const leaveOut = (all: Usage): Usage => ({ ...all, codeExecutions: Math.round(all.codeExecutions * (1 - paid)) });
  const left = calls?.map((each) => ({ ...each, usage: leaveOut(each.usage) }));
  return { ...reading, usage: usage && leaveOut(usage), ...(left && { calls: left }) };
}

async function measureTold(
  parts: MeteringParts,
  call: Call,
  reading: ResponseReading,
  reported: BillCalls | null,
  models: readonly string[],
): Promise<Partial<Measured> | null> {
  const bill = await addUp(parts, call, reading, reported, models);
  if (bill.disbelieved && reported === null) return null;
  // The figures of one call come at its end, whatever was passed over before them; of results each line counts.
  const isWhole = reported === null || reading.inspected;
  const doubt = bill.disbelieved
    ? doubtOf('claim_too_large', bill.disbelieved)
    : isWhole
      ? null
      : doubtOf('unreadable', bill);
  return { ...readBill(bill), usageSource: doubt === null ? 'provider' : 'estimated', doubt };
}

async function measureUntold(
  parts: MeteringParts,
  call: Call,
  operation: Operation,
  end: AnswerEnd,
  { reading, texts }: Seen,
  models: readonly string[],
): Promise<Partial<Measured>> {
  const serviceTier = findTiers(call, reading);
  const billOne = (usage: Usage, charge?: number): Bill => {
    const bill = new BillCalls(parts, call, { models, serviceTier });
    bill.add({ model: null, usage, charge });
    return bill.read();
  };
  const claimed = reading?.usage ? billOne(reading.usage) : null;
  const told = claimed?.disbelieved ? null : (claimed?.usage ?? null);
  const estimate = await estimateUsage(parts, call, operation, models, { end, reading, told, texts });
  // A charge may come without figures that can be used.
  const bill = billOne(estimate.usage, claimed?.disbelieved ? undefined : reading?.charge);
  const { nanoUsd, isCapped } = call.reservation;
  const { guessedSeconds } = estimate;
  const ofSound = billOne(makeUsage({ inputAudioSeconds: guessedSeconds }));
  const isGuess = guessedSeconds > 0 && ofSound.unpriced.size === 0 && ofSound.costNanoUsd > 0;
  const isUncertain = isGuess || !estimate.isKnown || claimed?.disbelieved;
  const costNanoUsd = Math.max(bill.costNanoUsd, isCapped && isUncertain ? nanoUsd : 0);
  // The provider bills what a request in the background refers to, and no figures of that may ever come.
  const isUnseen = reading !== null && told === null && call.body?.inBackground && call.body.hasReference;
  const unread = estimate.isUnreadable || isUnseen ? doubtOf('unreadable') : null;
  const doubt = claimed?.disbelieved ? doubtOf('claim_too_large', claimed.disbelieved) : unread;
  return { ...readBill(bill), costNanoUsd, usageSource: 'estimated', doubt };
}

const findTiers = ({ head, body }: Call, reading: ResponseReading | null) =>
  joinTiers(reading?.serviceTier ?? null, listTiers(head, body), head.provider.api);

function readBill({ usage, costNanoUsd, priceVersion, unpriced, unpricedUnits }: Bill): Partial<Measured> {
  const { promptTokens, completionTokens } = usage;
  const missing = { unpriced: [...unpriced], unpricedUnits: [...unpricedUnits] };
  return { promptTokens, completionTokens, costNanoUsd, priceVersion, ...missing };
}

function doubtOf(reason: Doubt['reason'], claimed?: { usage: Usage; costNanoUsd: number }): Doubt {
  const { promptTokens = 0, completionTokens = 0 } = claimed?.usage ?? {};
  return { reason, promptTokens, completionTokens, costNanoUsd: claimed?.costNanoUsd ?? 0 };
}
