import { isMantle, readBedrockRegion, type Usage, type UsageLimits } from '@agp/catalogue';
import type { CallHead } from './call-head.ts';
import { nameGuardrail } from './dialects/guardrail.ts';
import { listHeaders } from './dialects/headers.ts';
import type { AskedGuardrail } from './dialects/operation.ts';

type Head = Pick<CallHead, 'provider' | 'operation' | 'path' | 'headers'>;

const [idHeader, versionHeader] = listHeaders('guardrail');

const chatAtAws = /\/openai\/v1\/chat\/completions\/?$/;

/** Whether AWS documents guardrails of a chat there, which it does for `bedrock-runtime` alone. */
const isGuardedChat = ({ provider: { api, baseUrl }, path }: Head): boolean =>
  (api === 'bedrock' || readBedrockRegion(baseUrl.hostname) !== null) &&
  !isMantle(baseUrl.hostname) &&
  chatAtAws.test(baseUrl.pathname.replace(/\/$/, '') + path);

/** The guardrail of AWS that a call asks for. @param inBody what its body asks for, if its operation asks there */
export function findGuardrail<InBody>(head: Head, inBody: InBody): AskedGuardrail | InBody {
  const way = head.operation?.guardrail;
  if (typeof way === 'function') return inBody;
  if (way === undefined) return false;
  let id: unknown;
  let version: unknown;
  for (const name in head.headers) {
    const key = name.toLowerCase();
    if (key === idHeader) id = head.headers[name];
    else if (key === versionHeader) version = head.headers[name];
  }
  if (id === undefined || (way === 'headers at AWS' && !isGuardedChat(head))) return false;
  return nameGuardrail(id, version);
}

/** What is known of a call's body. */
interface Asked {
  bytes: { length: number };
  media: { bytes: number } | null;
  /** What it asks for, if its operation asks there. */
  guardrail?: AskedGuardrail;
}

const none: Partial<Usage> = {};

/** Characters of a unit of text (https://aws.amazon.com/bedrock/pricing). */
const unitLength = 1_000;

/**
 * What the guardrail of a call bills if nobody tells by which policies: as if it had each. Nothing for a call without one.
 * @param written characters of the answer @param isTold its answer has what it bills
 */
export function guessUnits(head: Head, asked: Asked | null, written: number, isTold = false): Partial<Usage> {
  if (asked === null || isTold) return none;
  const { bytes, media, guardrail = false } = asked;
  if (findGuardrail(head, guardrail) === false) return none;
  const read = bytes.length - (media?.bytes ?? 0);
  const units = Math.ceil(read / unitLength) + Math.ceil(written / unitLength);
  return {
    guardrailContentUnits: units,
    guardrailTopicUnits: units,
    guardrailSensitiveUnits: units,
    guardrailGroundingUnits: units,
    guardrailUntoldUnits: units,
  };
}

/** The longest text of one token, in characters: a run of spaces. */
const tokenLength = 128;

/** Pictures that a guardrail takes of one call (https://docs.aws.amazon.com/bedrock/latest/userguide/guardrails-mmfilter.html). */
const mostImages = 20;

/** The most units of each policy. A stream is judged in pieces of unknown length, each a unit or more, and none shorter than a token. */
export function limitUnits(
  head: Head,
  { stream, guardrail = false }: Pick<Asked, 'guardrail'> & { stream: boolean },
  inputBytes: number,
  outputTokens: number,
): Pick<UsageLimits, 'guardrailUnits' | 'guardrailImages'> {
  if (findGuardrail(head, guardrail) === false) return { guardrailUnits: 0, guardrailImages: 0 };
  const written = stream ? outputTokens : Math.ceil((outputTokens * tokenLength) / unitLength);
  return { guardrailUnits: Math.ceil(inputBytes / unitLength) + written, guardrailImages: mostImages };
}
