import { ConfigError, every, type Logger } from '@agp/runtime';
import { type AwsCredentials, type AwsIdentity, IdentityError } from './aws-identity.ts';
import type { Provider } from './provider.ts';
import { ProviderKey } from './provider-key.ts';

/** AWS takes no key for longer, in seconds. */
const longestSeconds = 43_200;

/** A key is renewed so long before it ends, in milliseconds. */
const marginMs = 300_000;

/** Between attempts that fail, in milliseconds: twice as long each time. */
const [firstPauseMs, longestPauseMs] = [1_000, 60_000];

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

/** A key of Bedrock that the pod's identity makes. */
export class RoleKey extends ProviderKey {
  readonly region: string;
  readonly #identity: AwsIdentity;
  override endsAt = 0;

  /** @param source names its entry of PROVIDERS_FILE @param region of AWS, where it is good */
  constructor(source: string, region: string, identity: AwsIdentity) {
    super(source, null);
    this.region = region;
    this.#identity = identity;
  }

  /** It is another every hour, and nobody replaces it by hand, so there is nothing to note. */
  override listUses(): [] {
    return [];
  }

  /** @throws IdentityError, and keeps the value that it has */
  async renew(): Promise<void> {
    const key = await signBedrockKey(await this.#identity.read(), this.region, Date.now());
    if (key === null) throw this.#identity.fail('its credentials have ended, or this clock is wrong', true);
    this.take(key.value);
    this.endsAt = key.endsAt;
  }
}

function listRoleKeys(endpoints: Iterable<Provider>): RoleKey[] {
  const keys = [...endpoints].map(({ apiKey }) => apiKey).filter((key) => key instanceof RoleKey);
  return [...new Set(keys)];
}

/**
 * Makes the first keys of `auth: role`, and renews each five minutes before it ends, one attempt at a time. Without AWS the one before is
 * sent until it ends.
 * @throws ConfigError naming the entry, if AWS refuses the identity; what cannot be reached is tried again
 */
export async function keepRoleKeys(endpoints: Iterable<Provider>, logger: Logger): Promise<AsyncDisposable> {
  const renewals = listRoleKeys(endpoints).map((key) => ({ key, renewal: new Renewal(key, logger) }));
  await Promise.all(
    renewals.map(async ({ key, renewal }) => {
      const failure = await renewal.attempt();
      if (failure?.isFinal) throw new ConfigError(`${key.source}: ${failure.message}`);
    }),
  );
  const kept = new AsyncDisposableStack();
  for (const { renewal } of renewals) kept.defer(every(firstPauseMs, () => renewal.attemptIfDue()));
  return kept;
}

/** Attempts to renew one key. */
class Renewal {
  readonly #key: RoleKey;
  readonly #logger: Logger;
  #pauseMs = firstPauseMs;
  #notBefore = 0;
  /** What is wrong at present, each cause once. */
  readonly #told = new Set<string>();

  constructor(key: RoleKey, logger: Logger) {
    this.#key = key;
    this.#logger = logger;
  }

  get #isDue(): boolean {
    return this.#key.endsAt - marginMs <= Date.now();
  }

  async attemptIfDue(): Promise<void> {
    if (this.#isDue && Date.now() >= this.#notBefore) await this.attempt();
  }

  /** @returns why it failed; null if it did not */
  async attempt(): Promise<IdentityError | null> {
    const failure = await this.#key.renew().then(
      () => null,
      (error: Error) => (error instanceof IdentityError ? error : new IdentityError(`fails (${error.name})`, false)),
    );
    const { source, use, region, endsAt } = this.#key;
    const fields = { source, region, ...(endsAt > 0 && { endsAt: new Date(endsAt).toISOString() }) };
    if (failure === null) {
      this.#told.clear();
      this.#logger.info({ ...fields, fingerprint: use.fingerprint }, "a provider's key is made anew");
    } else if (!this.#told.has(failure.message)) {
      this.#told.add(failure.message);
      this.#logger.warn(
        { ...fields, error: failure.message },
        endsAt > 0
          ? "a provider's key cannot be made anew: the one before is sent until it ends, then calls are refused"
          : "a provider's first key cannot be made: calls are refused until it is",
      );
    }
    if (!this.#isDue) this.#pauseMs = firstPauseMs;
    this.#notBefore = Date.now() + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
    return failure;
  }
}
