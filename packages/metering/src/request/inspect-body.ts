import { ApiError } from '@agp/core/errors';
import type { CallHead } from '../call-head.ts';
import type { RequestBounds } from '../dialects/bounds.ts';
import type { AskedGuardrail, Operation, RequestReading } from '../dialects/operation.ts';
import { hasRepeatedMember } from '../json/faults.ts';
import { isForm, readForm } from '../json/form.ts';
import { asObject } from '../json/members.ts';
import { readJson, toMembers } from '../json/scan.ts';
import { findMedia, type MeasuredMedia, type Media, openMedia } from './count-media.ts';
import { type Demand, readDemand } from './read-demand.ts';
import { type CallNames, maxNamedModels, nameByPath, readNames, toModelName } from './read-names.ts';
import { spliceStreamUsage } from './splice-usage.ts';
import { type BodyForm, notBounded, readStrictly, type StrictDemand } from './strict-demand.ts';

export type { BodyForm };

export interface InspectedBody extends Demand, Pick<RequestReading, 'requestedModel' | 'stream' | 'toldUsage'> {
  inBackground: boolean;
  searchesByPreview: boolean;
  /** Which guardrail it asks for, if its operation asks in the body. */
  guardrail: AskedGuardrail;
  /** It starts calls that it does not contain, as a batch from a file: no answer that is read tells what they cost. */
  startsUnseen: boolean;
  /** It is valid JSON or a valid form, which every server reads the same way. */
  isExact: boolean;
  /** The most that it may ask for, or why no bound exists; null if no bound was needed. */
  strict: StrictDemand | ApiError | null;
  bytes: Buffer;
  /** Its value, if it is small and valid JSON: readers of its texts need not parse it again. */
  parsed: unknown;
  /** What makes it large and costs few tokens; null for none, and if no cap holds. */
  media: Media | null;
  form: BodyForm;
  /** What rules ask for; null if none does and it was too large to be read. */
  names: CallNames | null;
  toProvider: Buffer;
  /** The proxy asked for a usage frame that the agent did not ask for, and must remove it from the answer. */
  usageAsked: boolean;
}

export const nothingKnown: RequestBounds = { members: {}, writes: 'text' };

/** The value of a larger body is not kept while the call runs: it takes several times as much memory. */
const maxKept = 16 * 1024;

/** The body may say `stream`, in whatever spelling. */
const mayStream = (bytes: Buffer) => bytes.includes('"stream"') || bytes.includes('\\u');

/** What is asked of a body, beside what it is. */
export interface Needs {
  /** The usage of a stream, in any case. */
  mustTell: boolean;
  /** The most that it may ask for. */
  mustBound: boolean;
  /** Its names, so that rules are sure of them. */
  mustName: boolean;
  /** What it is likely to cost. */
  mustPrice: boolean;
}

/** What a body says, in members that another thread can hand over. */
export interface ReadOfBody extends Omit<InspectedBody, 'media' | 'strict'> {
  media: MeasuredMedia | null;
  strict: StrictDemand | { notBounded: string } | null;
}

/** @throws as {@link readBody} */
export function inspectBody(
  operation: Operation,
  head: Pick<CallHead, 'path' | 'query'> & { provider: ReadProvider },
  bytes: Buffer,
  form: BodyForm,
  {
    mustTell,
    mustBound,
    mustName = false,
    mustPrice = mustTell || mustBound,
  }: Omit<Needs, 'mustName' | 'mustPrice'> & Partial<Needs>,
): InspectedBody {
  return openRead(operation, readBody(operation, head, bytes, form, { mustTell, mustBound, mustName, mustPrice }));
}

/** The same with what only this thread knows. */
export function openRead({ bounds }: Operation, { media, strict, ...read }: ReadOfBody): InspectedBody {
  return {
    ...read,
    media: media === null || bounds?.media === undefined ? null : openMedia(media, bounds.media),
    strict: strict !== null && 'notBounded' in strict ? new ApiError('cost_not_bounded', strict.notBounded) : strict,
  };
}

/** What is read of a provider. */
export type ReadProvider = Pick<CallHead['provider'], 'baseUrl' | 'asksForUsage' | 'harmlessMembers'>;

/**
 * Reads what a request asks for. For a stream that would report no usage, bytes are inserted; nothing is serialised again. A
 * body that is not JSON goes on unchanged, for the provider to refuse.
 * @throws ApiError `not_governed` if another account would pay
 */
export function readBody(
  operation: Operation,
  { provider, path, query }: Pick<CallHead, 'path' | 'query'> & { provider: ReadProvider },
  bytes: Buffer,
  form: BodyForm,
  { mustTell, mustBound, mustName, mustPrice }: Needs,
): ReadOfBody {
  const plain = form.decoded ?? bytes;
  const extent = mustBound || mustName ? 'whole' : 'outline';
  const body = isForm(form.contentType) ? readForm(plain, form.contentType, extent) : readJson(plain, extent);
  const { paidElsewhere } = operation;
  if (body.members.some(({ key, value }) => key === paidElsewhere && value !== null))
    throw new ApiError('not_governed', `a call that another account pays for (${paidElsewhere}) is not governed`);
  const asked = operation.readRequest(body.value, path, plain.length);
  const {
    requestedModel,
    stream,
    toldUsage,
    inBackground = false,
    searchesByPreview = false,
    priceTier = null,
  } = asked;
  const demand = readDemand(body.members, operation.bounds ?? nothingKnown, provider.baseUrl);
  const findMost = () => {
    if (!operation.bounds) throw notBounded('the path', 'is of a call that has no bound');
    return readStrictly(plain, form, body, operation.bounds, demand, query);
  };
  const ofPath = operation.readRequest(undefined, path).requestedModel;
  const models = listModels([requestedModel, ofPath, ...demand.models]);
  const isNamed = ofPath !== null || (requestedModel !== null && operation.listCalls === undefined);
  // An encoded body goes on as it is.
  const canAsk = plain === bytes && operation.usageNeedsAsking;
  const asks = canAsk && provider.asksForUsage && (stream || (mustTell && mayStream(bytes)));
  const spliced = asks ? spliceStreamUsage(bytes, body.object, mustTell) : { body: bytes, added: false };
  // A body that was read whole was looked through for repeated members; another of this size is small.
  const isAlike = () =>
    extent === 'whole' ? body.doubt === null : !hasRepeatedMember(plain.toString('utf8'), body.value);
  return {
    ...demand,
    maxOutputTokens: operation.isBilledLater
      ? boundCalls(operation, body.value, provider.baseUrl, isAlike)
      : demand.maxOutputTokens,
    tiers: priceTier === null ? demand.tiers : [...demand.tiers, priceTier],
    requestedModel,
    models,
    names:
      mustName || body.parsed !== undefined
        ? readNames(operation, body, {
            ...{ form, path, query, isNamed, mustName },
            models: [
              requestedModel === ofPath ? null : requestedModel,
              ofPath && nameByPath(path, ofPath),
              ...demand.models,
            ],
            harmless: provider.harmlessMembers,
          })
        : null,
    stream,
    toldUsage,
    inBackground,
    searchesByPreview,
    guardrail: typeof operation.guardrail === 'function' ? operation.guardrail(asObject(body.value)) : false,
    startsUnseen: startsUnseen(operation, demand),
    isExact: body.isExact,
    strict: mustBound && !operation.isFree ? catchRefusal(findMost) : null,
    bytes: plain,
    parsed: plain.length <= maxKept ? body.parsed : undefined,
    media: mustPrice ? findMedia(plain, body.parsed, operation.bounds) : null,
    form,
    toProvider: spliced.body,
    usageAsked: spliced.added,
  };
}

/** Reading more calls one by one would hold others up. */
const maxBoundedCalls = 2_000;

/** The largest bound on one answer of a batch's calls; null if one has none, some is given twice, or they are not in it. */
function boundCalls(
  { listCalls, batchedBounds = nothingKnown }: Operation,
  body: unknown,
  baseUrl: URL,
  isAlike: () => boolean,
): number | null {
  const calls = listCalls?.(asObject(body)) ?? [];
  if (calls.length > maxBoundedCalls) return null;
  const bounds = calls.map((call) => readDemand(toMembers(call), batchedBounds, baseUrl).maxOutputTokens);
  if (bounds.length === 0 || bounds.includes(null) || !isAlike()) return null;
  return Math.max(...(bounds as number[]));
}

/** Only Gemini's batches have bounds: the results of others are read, or their path is not. */
function startsUnseen(operation: Operation, { hasItems, hasReference }: Demand): boolean {
  return operation.isBilledLater === true && operation.bounds !== undefined && (hasReference || !hasItems);
}

/** @throws ApiError for more than are looked at */
function listModels(names: readonly (string | null)[]): string[] {
  const known = new Set(names.map((name) => (name?.includes('models/') ? toModelName(name) : name)));
  known.delete(null);
  if (known.size <= maxNamedModels) return [...known] as string[];
  throw new ApiError(
    'malformed_request',
    `the request names ${known.size} models, at most ${maxNamedModels} are taken`,
  );
}

function catchRefusal<Value>(read: () => Value): Value | { notBounded: string } {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'cost_not_bounded') return { notBounded: error.message };
    throw error;
  }
}
