import { isMantle } from '@agp/catalogue';
import { ApiError } from '@agp/core/errors';
import type { SignatureV4 } from '@smithy/signature-v4';
import type { Dispatcher } from 'undici';
import { digestInTurns } from '../body/content-digest.ts';
import type { HeaderValues } from '../exchange.ts';
import { MadeKey } from './made-key.ts';

/** Of these a signature has its own. */
const written = ['authorization', 'x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token'];

/** AWS refuses signatures five minutes off its clock; its answer took some of them, in milliseconds. */
const refusedOffMs = 240_000;

/** What a signature covers of a body. @throws ApiError `not_governed` for one that streams through */
function digest(body: unknown): Promise<string> {
  const bytes = body ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(bytes))
    throw new ApiError('not_governed', 'a body that is passed on unread cannot be signed, which auth: sign asks for');
  return digestInTurns(bytes);
}

/** @returns names and values that occur once or more, as AWS' signer takes them */
function readQuery(text: string): Record<string, string[]> {
  const parameters = new URLSearchParams(text);
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}

/** Credentials of AWS by which each call to Bedrock is signed, by AWS' own signer (Signature Version 4). */
export class SigningKey extends MadeKey {
  override readonly isSent = false;
  #signer: SignatureV4 | null = null;
  /** By how much AWS' clock is ahead of this machine's, in milliseconds. */
  #skewMs = 0;

  override async renew(): Promise<void> {
    const { expiration, accessKeyId, secretAccessKey, sessionToken } = await this.identity.read();
    // By this machine's clock, by which it is asked for.
    const endsAt = (expiration?.getTime() ?? Number.POSITIVE_INFINITY) - this.#skewMs;
    if (!(endsAt > Date.now())) throw this.fail();
    const [{ SignatureV4 }, { Hash }] = await Promise.all([
      import('@smithy/signature-v4'),
      import('@smithy/core/serde'),
    ]);
    this.#signer = new SignatureV4({
      service: 'bedrock',
      region: this.region,
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
      sha256: Hash.bind(null, 'sha256'),
    });
    this.take(accessKeyId);
    this.endsAt = endsAt;
  }

  /**
   * Signs what AWS asks for: host, body, type, and all headers of its own.
   * @param call as it goes out: nothing of it may change any more
   * @returns its headers with the signature, and the clock that it was signed by
   * @throws ApiError `provider_key_unavailable`, or `not_governed` for a body that streams through
   */
  async sign({ method, origin, path: target, headers, body }: Dispatcher.DispatchOptions): Promise<{
    headers: HeaderValues;
    skewMs: number;
  }> {
    const { protocol, host, hostname } = new URL(String(origin));
    const [path = '', query = ''] = target.split(/\?(.*)/s);
    const kept: HeaderValues = {};
    const covered: Record<string, string> = { host, 'x-amz-content-sha256': await digest(body) };
    for (const [name, value] of Object.entries(headers as HeaderValues)) {
      const key = name.toLowerCase();
      if (value === undefined || written.includes(key)) continue;
      kept[name] = value;
      if (key === 'content-type' || key.startsWith('x-amz')) covered[key] = [value].flat().join(',');
    }
    if (this.#signer === null) throw new ApiError('provider_key_unavailable');
    const skewMs = this.#skewMs;
    const signed = await this.#signer.sign(
      { method, protocol, hostname, path, query: readQuery(query), headers: covered },
      {
        signingDate: new Date(Date.now() + skewMs),
        signingService: isMantle(hostname) ? 'bedrock-mantle' : 'bedrock',
      },
    );
    const own = written.flatMap((name) => (signed.headers[name] === undefined ? [] : [[name, signed.headers[name]]]));
    return { headers: { ...kept, ...Object.fromEntries(own) }, skewMs };
  }

  /**
   * Takes AWS' clock from a refusal, if that of the signature was so far from it that AWS refuses it.
   * @param date the header of the answer @param skewMs by which the call was signed
   * @returns how far it was off, in milliseconds; null if the refusal has another cause
   */
  correct(date: string | undefined, skewMs: number): number | null {
    const aheadMs = Date.parse(date ?? '') - Date.now();
    const offMs = aheadMs - skewMs;
    if (!(Math.abs(offMs) >= refusedOffMs)) return null;
    this.endsAt -= aheadMs - this.#skewMs;
    this.#skewMs = aheadMs;
    return offMs;
  }
}
