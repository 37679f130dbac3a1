import { readBedrockGeo, readGeo } from '@agp/catalogue';
import type { Asked, EventTool } from '@agp/core/events';
import type { Geo } from '@agp/core/geos';
import type { CallHead } from '../call-head.ts';
import { findGuardrail } from '../guarded.ts';
import { findKept } from '../match-operation.ts';
import type { InspectedBody } from './inspect-body.ts';
import type { CallNames } from './read-names.ts';

/** What rules and records ask of a request, beside its likely cost. */
export interface AskedOfBody
  extends Pick<Asked, 'models' | 'unread' | 'output_tokens' | 'input_bytes' | 'geo' | 'stores' | 'guardrail'> {
  /** What it offers its model; null if that cannot be read. */
  tools: readonly EventTool[] | null;
  /** Why `geo` is that. */
  placed?: string | undefined;
}

/** Where a call is processed, and how that is known, or why it is not sure. */
type Found = [geo: Geo | null | undefined, why?: string | undefined];

type Place = Pick<CallHead, 'provider' | 'operation' | 'path' | 'hasBody'>;

/** @param isPacked its bytes are encoded @param contentLength as declared; null without a body, or with one of unknown length @param names null if they cannot be read */
export function readAsked(
  head: Pick<CallHead, 'provider' | 'operation' | 'method' | 'path' | 'hasBody' | 'headers'> & {
    contentLength: number | null;
    isPacked: boolean;
  },
  body: InspectedBody | null,
  names: CallNames | null,
): AskedOfBody {
  const { operation, method, path, hasBody, contentLength, isPacked } = head;
  // What is packed in a way that is not known here may be of any size.
  const isSized = !hasBody || !isPacked || Boolean(body?.form.decoded);
  // Whatever does not only look something up, or end it, may run a model.
  const isEnding = /^(?:GET|HEAD|DELETE|OPTIONS)$/.test(method) || /[/:]cancel\/?$/.test(path);
  const runsModel = operation?.runsModel !== false && (hasBody || !isEnding);
  const isCount = operation?.isFree === true && !operation.isBilledLater;
  const writesNone = (operation?.writesText === false && !operation.isBilledLater) || isCount || !runsModel;
  const [geo, placed] = head.provider.api === 'bedrock' ? findGeoOnBedrock(head, names) : findGeo(head, names);
  return {
    models: runsModel ? (names?.models?.slice() ?? null) : [],
    tools: runsModel ? (names?.tools ?? null) : [],
    unread: runsModel ? names?.unread : undefined,
    output_tokens: writesNone ? 0 : (body?.maxOutputTokens ?? null),
    input_bytes: isSized ? (body?.bytes.length ?? contentLength ?? (hasBody ? null : 0)) : null,
    ...{ geo, placed },
    stores: findStored(head, names),
    guardrail: isCount || !runsModel || findGuardrail(head, findInBody(body, names)),
  };
}

/** Address and call must agree; its operator is believed unless they say something else. Undefined if the call was not looked at. */
function findGeo({ provider, operation, path, hasBody }: Place, names: CallNames | null): Found {
  const { baseUrl, api, geo: vouched } = provider;
  const ofAddress = readGeo(baseUrl, baseUrl.pathname.replace(/\/$/, '') + path);
  const mayAsk = hasBody && (operation ? operation.geoMember !== undefined : api === 'anthropic');
  const unsaid = 'its address does not say';
  const isVouched = ofAddress === undefined && vouched !== null;
  const found: Found = isVouched
    ? [vouched, 'geo of the provider']
    : [ofAddress ?? null, ofAddress ? 'its address' : unsaid];
  if (!mayAsk) return found;
  if (names === null) return [ofAddress];
  const asked = names.where === null ? null : names.where.geo;
  if (asked === undefined) return found;
  if (ofAddress !== undefined && ofAddress !== asked)
    return [null, 'its address and what it asks for are not the same'];
  return [asked, asked === null ? 'what it asks for does not say' : 'what it asks for'];
}

/** All models that it names must agree. */
function findGeoOnBedrock(place: Place, names: CallNames | null): Found {
  if (names === null) return [undefined];
  const [ofRegion = null, why] = findGeo(place, names);
  if (ofRegion === null) return [null, why];
  if (!names.models?.length) return [null];
  const stray = names.models.find((model) => readBedrockGeo(model, ofRegion) === null);
  return stray === undefined ? [ofRegion, why] : [null, `${stray}, called in ${ofRegion}, may run elsewhere`];
}

/** Undefined if the call was not looked at. */
function findStored({ provider, operation, path, hasBody }: Place, names: CallNames | null): Asked['stores'] {
  if (!hasBody && operation === null) return false;
  if (operation === null) return findKept(path);
  if (typeof operation.stores === 'string') return operation.stores;
  if (!hasBody || operation.runsModel === false) return false;
  if (!names?.where) return names === null ? undefined : null;
  const { unsaid = false } = operation.stores ?? {};
  const { stores = typeof unsaid === 'function' ? unsaid(provider.baseUrl) : unsaid } = names.where;
  return stores;
}

/** Undefined if the call was not looked at, null if its members are not known for sure. */
function findInBody(body: InspectedBody | null, names: CallNames | null): Asked['guardrail'] {
  if (body === null || names === null) return undefined;
  return names.where === null ? null : body.guardrail;
}
