import { agentTokenPrefix, anySecretPrefix, ownSecrets, type SecretPrefix } from '@agp/core/contracts';
import { ApiError, errorTable } from '@agp/core/errors';
import { decodeOnce } from './query-parameters.ts';

/** A secret of ours alone, with or without the scheme that SDKs put before it. */
const secretValue = new RegExp(`^(?:[Bb][Ee][Aa][Rr][Ee][Rr] +)?((${anySecretPrefix})[\\x21-\\x7e]*) *$`);

/** One as issued, at the start of a word, with anything behind it; the shortest are keys that `secrets` makes. */
const issuedSecret = new RegExp(`(?<![A-Za-z0-9_-])(${anySecretPrefix})[A-Za-z0-9_-]{32}`);

/** Anywhere; by chance one of some hundred thousand long keys holds it. */
const anywhere = new RegExp(`${anySecretPrefix}[A-Za-z0-9_-]{32}`);

/** A JWT, with or without the scheme; its header begins with a brace. */
const jwtValue = /^(?:bearer +)?(e[wy][\w-]*\.[\w-]+\.[\w-]*) *$/i;

/** Also cut short. Only at the start of a word: else its time would grow with the square. */
const anyJwt = /(?<![\w-])e[wy][\w-]*\.e[wy][\w-]*(?:\.[\w-]*)?/;

const everyJwt = new RegExp(anyJwt, 'g');

const basic = /^basic +([\w+/=-]+) *$/i;

const suspicious = new RegExp(`${anySecretPrefix}|%|e[wy][\\w-]{12}|^[Bb][Aa][Ss][Ii][Cc] `);

/** As sent, as a lenient server would decode it, and what Basic credentials hold. */
function listReadings(text: string): string[] {
  const pair = basic.exec(text)?.[1];
  return [text, decodeOnce(text), ...(pair === undefined ? [] : [Buffer.from(pair, 'base64').toString('latin1')])];
}

/** The secret of ours that a header or a parameter is, alone; null if it is anything else. */
export function readOwnSecret(value: string): { secret: string; prefix: SecretPrefix } | null {
  const [, secret, prefix] = secretValue.exec(value) ?? [];
  return secret === undefined ? null : { secret, prefix: prefix as SecretPrefix };
}

/** What a header or a parameter is, alone, if it has the form of a signed JWT; else null. */
export const readJwtValue = (value: string): string | null => jwtValue.exec(value)?.[1] ?? null;

/** Why a request does not go on, if a secret of ours stands in it where it does not belong. @param place such as a header's name */
export function refuseSecret(place: string, prefix: SecretPrefix): ApiError {
  const wayOut =
    prefix === agentTokenPrefix
      ? 'send it as X-Agent-Token, or alone in place of the key of an SDK'
      : "send an agent token or the provider's own key, and revoke this one: programs that call models must not have it";
  return new ApiError(
    'unauthorized_agent',
    `${place} holds ${ownSecrets[prefix]}, which goes to no provider: ${wayOut}`,
  );
}

/** The prefix, and 32 bytes in Base64. */
export const agentTokenLength = agentTokenPrefix.length + 43;

const faults = {
  none: 'none was given',
  noToken: 'x-agent-token holds none: one begins with agp_, or is a JWT of your platform',
  notWhole: `what was given has not the ${agentTokenLength} characters of an agent token: it is cut short, or holds more`,
  noIssuer: 'no issuer here has the claims iss and aud of the token that was given',
  notValid: 'it was revoked, has expired, or was never issued here: ask for another one',
  claimed: 'the name works with its own agent token alone',
};

/** Why nobody is identified by what was shown. */
export const refuseToken = (fault: keyof typeof faults): ApiError =>
  new ApiError('unauthorized_agent', `${errorTable.unauthorized_agent.message}: ${faults[fault]}`);

/** Which secret of ours a part of a request holds, in any reading; null for none. @param shown the agent token that identifies the caller */
export function findOwnSecret(text: string, shown: string | null = null): SecretPrefix | null {
  if (!suspicious.test(text)) return null;
  for (const reading of listReadings(text)) {
    const rest = shown === null ? reading : reading.replaceAll(shown, ' ');
    const prefix = issuedSecret.exec(rest)?.[1] ?? readOwnSecret(rest)?.prefix;
    if (prefix !== undefined) return prefix as SecretPrefix;
  }
  return null;
}

/** Whether JWTs are tokens of our issuers. */
export type IsOurs = (jwt: string) => boolean;

/** Whether a part of a request holds the token `shown` elsewhere, also within longer words, or a JWT of our issuers, and so is not forwarded. */
export function repeatsProof(text: string, shown: string | null, isOurs: IsOurs): boolean {
  if (!suspicious.test(text)) return false;
  return listReadings(text).some(
    (reading) => (shown !== null && reading.includes(shown)) || reading.match(everyJwt)?.some(isOurs),
  );
}

/**
 * Whether a part of a request is not forwarded, in one look for most.
 * @param place where it stands, such as a header's name
 * @throws ApiError `unauthorized_agent` if it holds a secret of ours that does not belong there
 */
export function isKeptBack(text: string, place: string, shown: string | null, isOurs: IsOurs): boolean {
  if (!suspicious.test(text)) return false;
  const prefix = findOwnSecret(text, shown);
  if (prefix !== null) throw refuseSecret(place.toLowerCase(), prefix);
  return repeatsProof(text, shown, isOurs);
}

/** Whether an id of the caller's holds a secret of ours or a JWT, and so is not recorded. */
export function spellsAgentToken(text: string): boolean {
  if (!suspicious.test(text)) return false;
  return listReadings(text).some((reading) => anywhere.test(reading) || anyJwt.test(reading));
}

/** Whether a name or a path holds a secret of ours or a JWT, or is one in form, and so is not shown. */
export function resemblesAgentToken(text: string): boolean {
  return suspicious.test(text) && (spellsAgentToken(text) || listReadings(text).some((each) => readOwnSecret(each)));
}
