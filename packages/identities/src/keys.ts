import { type CryptoKey, createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { type Identity, keySetSchema, maxKeySetBytes, maxKeys } from './schema.ts';

/** Reads JSON of at most so many bytes. @throws Error that says why it cannot */
export type ReadJson = (url: string, maxBytes: number) => Promise<unknown>;

/** The issuer's keys cannot be read. */
export class IssuerUnavailable extends Error {}

/** Milliseconds after which keys are read again, while those that are known go on. */
const oldMs = 300_000;
/** Milliseconds without a try to read them after which known keys wait for it too. */
const staleMs = 600_000;
/** The least milliseconds from one read to the next, however many unknown keys are asked for. */
const restMs = 5_000;

const discoverySchema = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });
const answeredSetSchema = z.looseObject({ keys: z.array(z.unknown()).max(maxKeys, `has more than ${maxKeys} keys`) });

type Keys = z.infer<typeof keySetSchema>['keys'];

/** SPIFFE's own sets mark keys for JWTs by another word. */
function openSet(keys: Keys): JWTVerifyGetKey {
  const set = keys.map((key) => (key.use === 'jwt-svid' ? { ...key, use: 'sig' } : key));
  return createLocalJWKSet({ keys: set } as JSONWebKeySet);
}

/** The keys of one issuer: known from its document, or read from it and remembered. */
export class IssuerKeys {
  readonly #identity: Pick<Identity, 'name' | 'issuer' | 'keys'>;
  readonly #read: ReadJson;
  #held: JWTVerifyGetKey | null = null;
  #reading: Promise<void> | null = null;
  #failure: string | null = null;
  /** On the monotonic clock. */
  #readAt = 0;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(identity: Pick<Identity, 'name' | 'issuer' | 'keys'>, read: ReadJson) {
    this.#identity = identity;
    this.#read = read;
    if ('jwks' in identity.keys) this.#held = openSet(identity.keys.jwks.keys);
  }

  /**
   * The key that a token names, with what its header says of it checked against what the set says.
   * @throws IssuerUnavailable if it is unknown, and the set cannot be read
   * @throws errors.JOSEError if the set has none, or several
   */
  readonly find: JWTVerifyGetKey = async (header, token): Promise<CryptoKey> => {
    const isFixed = 'jwks' in this.#identity.keys;
    if (this.#held !== null) {
      const now = performance.now();
      const isStale = now - this.#triedAt > staleMs;
      const read = isFixed || now - this.#readAt <= oldMs ? null : this.#readAgain();
      if (isStale) await read;
      try {
        return (await this.#held(header, token)) as CryptoKey;
      } catch (error) {
        if (isFixed || !(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
    }
    await this.#readAgain();
    if (this.#held === null || this.#failure !== null)
      throw new IssuerUnavailable(`keys of issuer ${this.#identity.name} cannot be read: ${this.#failure}`);
    return (await this.#held(header, token)) as CryptoKey;
  };

  /** All who ask meanwhile wait for one read. It never rejects. */
  #readAgain(): Promise<void> {
    if (this.#reading === null && performance.now() - this.#triedAt < restMs) return Promise.resolve();
    this.#reading ??= this.#readSet()
      .then(
        (set) => {
          this.#held = set;
          this.#readAt = performance.now();
          this.#failure = null;
        },
        (error: Error) => {
          this.#failure = error.message;
        },
      )
      .finally(() => {
        this.#triedAt = performance.now();
        this.#reading = null;
      });
    return this.#reading;
  }

  async #readSet(): Promise<JWTVerifyGetKey> {
    const url = await this.#findUrl();
    const { data, error } = answeredSetSchema.safeParse(await this.#read(url, maxKeySetBytes));
    if (error) throw new Error(`${URL.parse(url)?.host}: no key set: ${error.issues[0]?.message}`);
    // A key of a kind that is not known here, or one that is no public key, is nobody's.
    return openSet(data.keys.flatMap((key) => keySetSchema.safeParse({ keys: [key] }).data?.keys ?? []));
  }

  async #findUrl(): Promise<string> {
    const { issuer, keys } = this.#identity;
    if ('jwks_uri' in keys) return keys.jwks_uri;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { data } = discoverySchema.safeParse(await this.#read(url, maxKeySetBytes));
    if (data === undefined) throw new Error(`${URL.parse(url)?.host}: no discovery document`);
    if (data.issuer !== issuer) throw new Error(`${URL.parse(url)?.host}: discovery is of another issuer`);
    return data.jwks_uri;
  }
}
