import { ConfigError, every, type Logger } from '@agp/runtime';
import { type AwsIdentity, IdentityError } from './aws-identity.ts';
import type { Provider } from './provider.ts';
import { ProviderKey } from './provider-key.ts';

/** A key is renewed so long before it ends, in milliseconds. */
const marginMs = 300_000;

/** Between attempts that fail, in milliseconds: twice as long each time. */
const [firstPauseMs, longestPauseMs] = [1_000, 60_000];

/** A key that the pod's identity makes. */
export abstract class MadeKey extends ProviderKey {
  /** Of AWS, where it is good. */
  readonly region: string;
  protected readonly identity: AwsIdentity;
  override endsAt = 0;

  /** @param source names its entry of PROVIDERS_FILE */
  constructor(source: string, region: string, identity: AwsIdentity) {
    super(source, null);
    this.region = region;
    this.identity = identity;
  }

  /** It is another every hour, and nobody replaces it by hand, so there is nothing to note. */
  override listUses(): [] {
    return [];
  }

  protected fail(): IdentityError {
    return this.identity.fail('its credentials have ended, or this clock is wrong', true);
  }

  /** @throws IdentityError, and keeps the value that it has */
  abstract renew(): Promise<void>;
}

function listMadeKeys(endpoints: Iterable<Provider>): MadeKey[] {
  const keys = [...endpoints].map(({ apiKey }) => apiKey).filter((key) => key instanceof MadeKey);
  return [...new Set(keys)];
}

/**
 * Makes the first keys of `auth: role` and `auth: sign`, and renews each five minutes before it ends, one attempt at a time. Without AWS the
 * one before is sent until it ends.
 * @throws ConfigError naming the entry, if AWS refuses the identity; what cannot be reached is tried again
 */
export async function keepMadeKeys(endpoints: Iterable<Provider>, logger: Logger): Promise<AsyncDisposable> {
  const renewals = listMadeKeys(endpoints).map((key) => ({ key, renewal: new Renewal(key, logger) }));
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
  readonly #key: MadeKey;
  readonly #logger: Logger;
  #pauseMs = firstPauseMs;
  #notBefore = 0;
  /** What is wrong at present, each cause once. */
  readonly #told = new Set<string>();

  constructor(key: MadeKey, logger: Logger) {
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
    const { source, use, region, endsAt, isSent } = this.#key;
    const what = isSent ? "a provider's key" : "what signs a provider's calls";
    const fields = {
      source,
      region,
      ...(endsAt > 0 && Number.isFinite(endsAt) && { endsAt: new Date(endsAt).toISOString() }),
    };
    if (failure === null) {
      this.#told.clear();
      this.#logger.info({ ...fields, fingerprint: use.fingerprint }, `${what} is made anew`);
    } else if (!this.#told.has(failure.message)) {
      this.#told.add(failure.message);
      this.#logger.warn(
        { ...fields, error: failure.message },
        endsAt > 0
          ? `${what} cannot be made anew: the one before is used until it ends, then calls are refused`
          : `${what} cannot be made: calls are refused until it is`,
      );
    }
    if (!this.#isDue) this.#pauseMs = firstPauseMs;
    this.#notBefore = Date.now() + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
    return failure;
  }
}
