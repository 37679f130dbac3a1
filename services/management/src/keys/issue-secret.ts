import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto';

/** The digest that is stored in place of a secret. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/**
 * Makes the UUID, the secret (its prefix and 256 random bits) and the digest of a new API key, agent token or one-time code.
 *
 * @param prefix `agm_` opens this API, `agp_` is an agent's at the proxy, `agl_` signs in to the console once
 */
export function issueSecret(prefix: 'agm_' | 'agp_' | 'agl_'): { id: string; secret: string; secretSha256: Buffer } {
  const secret = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { id: randomUUIDv7(), secret, secretSha256: digestSecret(secret) };
}
