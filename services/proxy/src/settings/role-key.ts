import type { AwsCredentials } from './aws-identity.ts';
import { MadeKey } from './made-key.ts';

/** AWS takes no key for longer, in seconds. */
const longestSeconds = 43_200;

const host = 'bedrock.amazonaws.com';

/**
 * A short-term key of Bedrock, as `@aws/bedrock-token-generator` makes it: a presigned call, which nobody else is asked for.
 * @param now in milliseconds since 1970, by a clock that AWS must find right within five minutes
 * @returns the key, and when it ends, in milliseconds since 1970: never later than the credentials; null if these have ended
 */
export async function signBedrockKey(
  credentials: AwsCredentials,
  region: string,
  now: number,
): Promise<{ value: string; endsAt: number } | null> {
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = credentials;
  const begin = Math.floor(now / 1_000);
  const end = Math.min(begin + longestSeconds, Math.floor((expiration?.getTime() ?? Number.POSITIVE_INFINITY) / 1_000));
  if (!(end > begin)) return null;
  const [{ SignatureV4 }, { buildQueryString }, { Hash }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@smithy/core/protocols'),
    import('@smithy/core/serde'),
  ]);
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
  const signer = new SignatureV4({ service: 'bedrock', region, credentials: keys, sha256: Hash.bind(null, 'sha256') });
  const call = {
    ...{ method: 'POST', protocol: 'https', hostname: host, path: '/', headers: { host } },
    query: { Action: 'CallWithBearerToken' },
  };
  const { query = {} } = await signer.presign(call, { expiresIn: end - begin, signingDate: new Date(begin * 1_000) });
  const url = `${host}/?${buildQueryString(query)}&Version=1`;
  return { value: `bedrock-api-key-${Buffer.from(url).toString('base64')}`, endsAt: end * 1_000 };
}

/** A short-term key of Bedrock, which is sent. */
export class RoleKey extends MadeKey {
  override async renew(): Promise<void> {
    const key = await signBedrockKey(await this.identity.read(), this.region, Date.now());
    if (key === null) throw this.fail();
    this.take(key.value);
    this.endsAt = key.endsAt;
  }
}
