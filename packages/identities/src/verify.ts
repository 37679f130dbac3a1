import { parseJson } from '@agp/core/json';
import { base64url, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Claims } from './judge.ts';
import { IssuerUnavailable } from './keys.ts';
import { type Identity, maxTokenLength } from './schema.ts';

/** Seconds by which clocks may differ. */
export const toleranceSeconds = 60;

/** Why a token proves nothing. Its text names claims, never what they are. */
export class TokenRefused extends Error {}

const shape = /^([\w-]+)\.([\w-]+)\.[\w-]*$/;

/** What a text says that has the form of a signed JWT, unverified; null for any other, and one that nests deep. */
export function readJwt(text: string): Claims | null {
  const [, header, payload] = (text.length <= maxTokenLength && shape.exec(text)) || [];
  if (header === undefined || payload === undefined) return null;
  try {
    const [said, claims] = [header, payload].map((part) => parseJson(base64url.decode(part), { maxDepth: 32 }));
    return isObject(said) && typeof said.alg === 'string' && isObject(claims) ? claims : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const faults: Record<string, string> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is none of the issuer',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is not by that key of the issuer',
  ERR_JWKS_NO_MATCHING_KEY: 'the issuer has no key with its kid and algorithm',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'the issuer has several keys that it may mean',
};

function describe(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return `claim ${error.claim} is missing`;
    return error.claim === 'nbf' ? 'it is not valid yet' : `claim ${error.claim} does not match`;
  }
  return (error instanceof errors.JOSEError && faults[error.code]) || 'it is not well formed';
}

/**
 * The claims of a token, once its signature, its issuer and audience, and its times were checked. What its header says of keys elsewhere
 * is never followed.
 *
 * @param findKey such as that of {@link IssuerKeys}
 * @throws TokenRefused
 * @throws IssuerUnavailable of `findKey`
 */
export async function verify(
  token: string,
  { name, issuer, audiences, algorithms }: Pick<Identity, 'name' | 'issuer' | 'audiences' | 'algorithms'>,
  findKey: JWTVerifyGetKey,
): Promise<Claims & { exp: number }> {
  try {
    if (readJwt(token) === null) throw new errors.JWTInvalid();
    const { payload } = await jwtVerify(token, findKey, {
      ...{ issuer, audience: audiences, algorithms, clockTolerance: toleranceSeconds, requiredClaims: ['exp'] },
    });
    return payload as Claims & { exp: number };
  } catch (error) {
    if (error instanceof IssuerUnavailable) throw error;
    throw new TokenRefused(`the token of issuer ${name} is refused: ${describe(error)}`);
  }
}
