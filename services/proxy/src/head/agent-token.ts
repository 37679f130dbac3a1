import { agentTokenPrefix } from '@agp/core/contracts';
import { decodeOnce } from './query-parameters.ts';

/** A token alone, with or without the scheme that SDKs put before it. */
const tokenValue = new RegExp(`^(?:bearer +)?(${agentTokenPrefix}[\\x21-\\x7e]*) *$`, 'i');

/** A token as issued, at the start of a word, with anything behind it. */
const issuedToken = new RegExp(`(?<![A-Za-z0-9_-])${agentTokenPrefix}[A-Za-z0-9_-]{43}`);

/** Anywhere; by chance one of some hundred thousand long keys holds it. */
const anywhere = new RegExp(`${agentTokenPrefix}[A-Za-z0-9_-]{43}`);

/** A JWT, with or without the scheme; its header begins with a brace. */
const jwtValue = /^(?:bearer +)?(e[wy][\w-]*\.[\w-]+\.[\w-]*) *$/i;

/** Also cut short. Only at the start of a word: else its time would grow with the square. */
const anyJwt = /(?<![\w-])e[wy][\w-]*\.e[wy][\w-]*(?:\.[\w-]*)?/;

const everyJwt = new RegExp(anyJwt, 'g');

const suspicious = new RegExp(`${agentTokenPrefix}|%|e[wy][\\w-]{12}`);

/** The token that a header or a parameter is, alone; null if it is anything else. */
export function readToken(value: string): string | null {
  const token = tokenValue.exec(value)?.[1];
  // The scheme is the same in any case, a token is not.
  return token?.startsWith(agentTokenPrefix) ? token : null;
}

/** What a header or a parameter is, alone, if it has the form of a signed JWT; else null. */
export const readJwtValue = (value: string): string | null => jwtValue.exec(value)?.[1] ?? null;

/** Whether JWTs are tokens of our issuers. */
export type IsOurs = (jwt: string) => boolean;
const isNone: IsOurs = () => false;

/**
 * Whether an agent token in it, plain or percent-encoded, keeps a part of a request from being forwarded; the token `shown` elsewhere is
 * found within longer words too.
 */
export function holdsAgentToken(text: string, shown: string | null = null, isOurs: IsOurs = isNone): boolean {
  if (!suspicious.test(text)) return false;
  return [text, decodeOnce(text)].some(
    (reading) =>
      issuedToken.test(reading) ||
      readToken(reading) !== null ||
      (shown !== null && reading.includes(shown)) ||
      reading.match(everyJwt)?.some(isOurs),
  );
}

/** Whether an id of the caller's holds a token or a JWT, and so is not recorded. */
export function spellsAgentToken(text: string): boolean {
  if (!suspicious.test(text)) return false;
  return [text, decodeOnce(text)].some((reading) => anywhere.test(reading) || anyJwt.test(reading));
}

/** Whether a name or a path holds a token or a JWT, or is one in form, and so is not shown. */
export function resemblesAgentToken(text: string): boolean {
  return suspicious.test(text) && (spellsAgentToken(text) || [text, decodeOnce(text)].some((each) => readToken(each)));
}
