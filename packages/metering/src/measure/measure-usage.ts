import type { Usage } from '@agp/catalogue';
import type { ResponseReading } from '../answer/reading.ts';
import { bytesPerToken } from '../batched-calls.ts';
import { type AnswerEnd, type Call, type Measurement, unmeasured } from '../call.ts';
import { addUnits } from '../dialects/guardrail.ts';
import { sumCalls } from '../dialects/operation.ts';
import { guessUnits } from '../guarded.ts';
import { unpricedNanoUsd } from '../metering-parts.ts';
import { type Answered, billAnswer, doubtOf, measureTold, readBill } from './bill-calls.ts';
import { measureUntold } from './estimate-usage.ts';
import type { CallTexts } from './scan-call.ts';

export type Measured = Omit<Measurement, 'outcome' | 'piiTypes' | 'piiFindings' | 'piiScan' | 'unscanned'>;

/** How a call is billed, and what it claims of a bill that other calls show too. */
interface Kind {
  when(answered: Answered): boolean | undefined;
  measure(answered: Answered): Partial<Measured> | Promise<Partial<Measured>>;
}

/** The first that a call is of bills it. */
const kinds: readonly Kind[] = [
  // The cost of a path that we cannot read is unknown.
  {
    when: ({ call }) => call.head.operation === null,
    measure: ({ call, end }) =>
      call.head.hasBody && mayHaveServed(end) ? { isUnknownPath: true, ...priceUnknown(call) } : {},
  },
  {
    when: ({ call, end }) => call.body?.startsUnseen && mayHaveServed(end),
    measure: ({ call }) => ({ ...priceUnknown(call), doubt: doubtOf('unreadable') }),
  },
  { when: ({ call }) => call.head.operation?.isFree, measure: () => ({}) },
  { when: ({ call }) => call.head.operation?.settlesBackground, measure: settleBackground },
  { when: (answered) => !mayBeBilled(answered), measure: () => ({}) },
  { when: ({ call }) => call.head.operation?.showsOtherBills, measure: measureListed },
  { when: ({ call }) => findResults(call) !== null, measure: measureOnce },
  {
    when: ({ call, reading }) => call.body?.inBackground && plainId.test(reading?.id ?? ''),
    measure: startBackground,
  },
  { when: () => true, measure: measureAnswer },
];

/**
 * The provider bills, so its figures are the record. A call without figures that can be is estimated; under a cap it costs at
 * least its reservation, since agents could otherwise save by leaving early.
 */
export async function measureUsage(answered: Answered): Promise<Measured> {
  const { call, reading } = answered;
  const requestedModel = call.body?.requestedModel ?? null;
  const answeredModel = reading?.model ?? null;
  const named = { model: answeredModel ?? requestedModel, answeredModel, requestedModel };
  const measured = await kinds.find(({ when }) => when(answered))?.measure(answered);
  return { ...unmeasured, ...named, unread: reading?.unread ?? [], ...measured };
}

/** The provider's id of the results that a call fetches; null if it fetches none that are billed once. */
const findResults = ({ head }: Call) => head.operation?.billedOnce?.(head.path) ?? null;

/** An unknown cost is a fixed amount under a cap: what was reserved for it. */
function priceUnknown({ reservation }: Call) {
  return reservation.isCapped ? { costNanoUsd: unpricedNanoUsd, usageSource: 'estimated' as const } : {};
}

const mayHaveServed = ({ status, sent }: AnswerEnd) => (status === null ? sent : status >= 200 && status < 300);

function mayBeBilled({ end: { sent, status }, reading }: Answered): boolean {
  if (!sent || reading?.isUnbilled) return false;
  // "Not modified" answers the agent's own condition and is no refusal. A redirect is not followed.
  const isRefusal = status !== null && status >= 300 && status < 600 && status !== 304;
  return isRefusal || reading?.isError ? (reading?.usage ?? null) !== null : true;
}

/** No provider has other ids, and one becomes a part of a path. */
const plainId = /^[\w-]{1,256}$/;

/** The name by which a request in the background is found again. No bill's name has a space. */
const nameStart = (bill: string) => `${bill} started`;

/** A later answer has the figures of what goes on. Until then the estimate is held, and listed. */
async function startBackground(answered: Answered): Promise<Partial<Measured>> {
  const { call, reading } = answered;
  const measured = await measureAnswer(answered);
  const id = reading?.id as string;
  if (measured.usageSource === 'provider') {
    await claim(call, id);
    return measured;
  }
  const cancelPath = call.head.operation?.cancelPath?.(call.head.path, id) ?? null;
  // If storage does not keep the start, nobody could find it later, and it costs its estimate now.
  const isStarted = await call.claimBill(nameStart(id)).catch(() => false);
  if (!isStarted) return { ...measured, cancelPath };
  const { unpriced = [], costNanoUsd = 0, promptTokens = 0, completionTokens = 0 } = measured;
  const doubt = { reason: 'billed_later', promptTokens, completionTokens, costNanoUsd } as const;
  return { unpriced, heldNanoUsd: costNanoUsd, doubt, cancelPath };
}

/** Bills what an earlier request started in the background, once; anything else was billed when it was made. */
async function settleBackground(answered: Answered): Promise<Partial<Measured>> {
  const { call, reading } = answered;
  const results = findResults(call);
  if (reading === null || results === null || !isFetched(answered)) return {};
  const { isUnbilled = false } = reading;
  if (!isUnbilled && (reading.usage === null || !reading.usageIsFinal)) return {};
  // None for what was started without us.
  const settledEventId = await call.findClaim(nameStart(results)).catch(() => null);
  if (settledEventId === null && !reading.isOfBackground) return {};
  if (!isUnbilled && !(await isBilledHere(answered, results))) return {};
  // The name by which lists find the event that ended work in the background (`listDoubtfulUsage`).
  if (settledEventId) await claim(call, `${settledEventId} ended`);
  return { ...(isUnbilled ? {} : await measureAnswer(answered)), settledEventId };
}

/** Bills results that are billed once, however often they are fetched. */
async function measureOnce(answered: Answered): Promise<Partial<Measured>> {
  const isOurs = await isBilledHere(answered, findResults(answered.call) as string);
  return isOurs ? measureAnswer(answered) : measureInPart(answered);
}

/** A range, or an answer that was passed by, settles no bill: an agent can bring about both. */
async function isBilledHere(answered: Answered, bill: string): Promise<boolean> {
  const { call, reading } = answered;
  if (!isFetched(answered) || reading?.passedBy !== undefined || !reading?.usage) return false;
  if (!(await claim(call, bill))) return false;
  // Results that are paid for are in no doubt if a part of them is fetched again.
  await claim(call, nameDoubt(call, bill));
  return true;
}

/** A longer list is in doubt, as one that was cut. */
const maxListed = 100;

/** Bills what a list shows and nobody was billed for yet. */
async function measureListed(answered: Answered): Promise<Partial<Measured>> {
  const { call, reading } = answered;
  const bills = reading?.bills ?? [];
  const isSettled = bills.length > 0 && isFetched(answered) && reading?.passedBy === undefined;
  if (!isSettled || bills.length > maxListed) return measureInPart(answered);
  const isOurs = await Promise.all(bills.map(({ id }) => claim(call, id)));
  const ours = bills.filter((_, at) => isOurs[at]);
  await Promise.all(ours.map(({ id }) => claim(call, nameDoubt(call, id))));
  const calls = ours.flatMap((bill) => bill.calls);
  const told = { ...reading, calls, usage: sumCalls(calls).usage } as ResponseReading;
  return (calls.length > 0 && (await measureTold({ ...answered, reading: told, reported: null }, []))) || {};
}

/**
 * Results fetched in part, in a list, or unreadable are one doubt with the sum that came, since nobody may ever fetch them
 * whole. Under a cap it costs what came, and costs again once fetched whole.
 */
async function measureInPart(answered: Answered): Promise<Partial<Measured>> {
  const { call, end, reading, reported } = answered;
  if (reading === null) return {};
  const results = findResults(call);
  const isUnseen = reading.usage === null && (!reading.inspected || reading.isUntold === true);
  const isWhole = isFetched(answered) && !call.head.operation?.showsOtherBills;
  if (isWhole && !isUnseen) return {};
  const models = reading.model === null ? [] : [reading.model];
  const bill = reading.usage === null ? reported?.read() : await billAnswer({ ...answered, reading }, models);
  const sum = bill && bill.usage.promptTokens + bill.usage.completionTokens > 0 ? bill : null;
  const isEmpty = reading.length === 0 && !isWhole;
  if (sum === null && (isEmpty || (!isUnseen && end.outcome === 'completed'))) return {};
  if (!(await claim(call, nameDoubt(call, results)))) return {};
  const doubt = doubtOf('unreadable', sum?.disbelieved ?? sum ?? undefined);
  if (results === null || !call.reservation.isCapped) return { doubt };
  return { ...(sum ? { ...readBill(sum), usageSource: 'estimated' } : priceUnknown(call)), doubt };
}

/** Bills the figures of an answer, or an estimate if it has none that can be. */
async function measureAnswer(answered: Answered): Promise<Partial<Measured>> {
  const { call, reading, texts } = answered;
  // If the answer names no model, any that the request may mean can have made it.
  const models = reading?.model == null ? (call.body?.models ?? []) : [reading.model];
  const isTold = reading?.usageIsFinal && (reading.ranNone || isCounted(reading.usage, texts));
  const written = (reading?.usage?.completionTokens ?? 0) * bytesPerToken;
  const guarded = isTold && addUnits(reading, guessUnits(call.head, call.body, written, reading.tellsUnits));
  const unpaid = guarded ? await leaveOutPaid(call, guarded) : null;
  const told = unpaid && (await measureTold({ ...answered, reading: unpaid }, models));
  // Tokens do not price a model that is paid by the length of sound.
  const lacksLength = told?.unpriced?.length && call.body?.toldUsage.inputAudioSeconds;
  if (told !== null && !lacksLength) return told;
  const untold = await measureUntold(answered, models);
  return (lacksLength && untold.unpriced?.length ? told : null) ?? untold;
}

/** Servers that do not count say 0 or leave a figure out: a call has some input, and some output if text was written. */
function isCounted(usage: Usage | null, { answer }: CallTexts): boolean {
  if (usage === null) return false;
  const { promptTokens, completionTokens } = usage;
  if (promptTokens + completionTokens === 0) return Object.values(usage).some((count) => count > 0);
  const wroteText = answer !== null && 'parts' in answer && answer.parts.some((part) => part.trim() !== '');
  return promptTokens > 0 && (completionTokens > 0 || !wroteText || usage.inputAudioSeconds > 0);
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

async function claim({ claimBill }: Call, bill: string): Promise<boolean> {
  try {
    return await claimBill(bill);
  } catch {
    // Whether it was billed is unknown: a cost that is counted twice is noticed sooner than one that is missing.
    return true;
  }
}

/** SDKs hang up on a stream's last frame. */
function isFetched({ end: { outcome, status, streamed }, reading }: Answered): boolean {
  return status === 200 && (outcome === 'completed' || (outcome === 'aborted' && streamed && reading?.sawEnd === true));
}

/** The name by which a doubt about results is noted once; a list has no bill, so it is noted once a day for each agent. */
function nameDoubt({ head, holder }: Call, bill: string | null): string {
  return `${bill ?? `${holder.agentId} ${new Date(head.timestamp).toISOString().slice(0, 10)}`} doubt`;
}
