import { hash } from 'node:crypto';
import { ApiError } from '@agp/core/errors';
import type { Claim, DocumentAt, DocumentsAt } from '@agp/db';
import { findIssuer, type Identity, identitySchema, judge, NoWorkload, type Workload } from '@agp/identities';
import { IssuerKeys, IssuerUnavailable, type ReadJson } from '@agp/identities/keys';
import { readJwt, TokenRefused, toleranceSeconds, verify } from '@agp/identities/verify';
import { LRUCache } from 'lru-cache';
import { rememberedTokens, tokenRememberedMs } from '../limits.ts';
import { Versioned } from '../storage/versioned.ts';

/** A JWT that a request showed us. It is a secret: a log that holds this says nothing of it. */
export class ShownJwt {
  /** Hex. */
  readonly sha256: string;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.sha256 = hash('sha256', text, 'hex');
  }

  reveal(): string {
    return this.#text;
  }
}

/** What a verified token says, by the issuers of one version. */
export interface Proof {
  /** Of all issuers. */
  version: number;
  workload: Workload;
  claim: Claim;
  /** Of its issuer alone. */
  issuerVersion: number;
  /** When the token ends, in milliseconds since 1970 UTC. */
  expiresAt: number;
}

interface Issuer {
  id: string;
  version: number;
  identity: Identity;
  keys: IssuerKeys;
}

interface Issuers {
  version: number;
  issuers: readonly (Issuer & Pick<Identity, 'issuer' | 'audiences'>)[];
}

interface IdentitiesOptions {
  /** Each reads after it is called. */
  read(deadline: number): Promise<DocumentsAt<DocumentAt<'identity'>>>;
  readVersion(deadline: number): Promise<number>;
  readJson: ReadJson;
  onUnreadable(error: Error): void;
}

const noIssuers: Issuers = { version: 0, issuers: [] };

/** The issuers of the installation, read again as soon as a request's own read shows another version, and tokens that they have proven. */
export class Identities {
  readonly #options: IdentitiesOptions;
  readonly #proven = new LRUCache<string, Proof & { until: number }>({ max: rememberedTokens });
  readonly #issuers: Versioned<DocumentAt<'identity'>, Issuers>;

  constructor(options: IdentitiesOptions) {
    this.#options = options;
    const { read, readJson, onUnreadable } = options;
    this.#issuers = new Versioned({
      ...{ read, onUnreadable },
      prepare: (stored, held) => prepareIssuers(stored, held ?? noIssuers, readJson),
    });
  }

  get #held(): Issuers {
    return this.#issuers.held ?? noIssuers;
  }

  /** Of the issuers that are known now. */
  get version(): number {
    return this.#held.version;
  }

  /** Whether a text is a token of one of the issuers, meant for us, as it says itself. */
  readonly isOurs = (text: string): boolean => {
    if (this.#held.issuers.length === 0) return false;
    const claims = readJwt(text);
    return claims !== null && findIssuer(this.#held.issuers, claims) !== undefined;
  };

  /**
   * Reads the issuers at a version that was just read, or at another that came since.
   * @param deadline on the monotonic clock in milliseconds
   * @throws ApiError `status_unavailable`
   */
  async at(version: number, deadline: number): Promise<void> {
    if (this.#held.version !== version) await this.#issuers.at(version, deadline);
  }

  /** Reads the issuers again if they have changed. @throws ApiError `status_unavailable` */
  async refresh(deadline: number): Promise<void> {
    await this.at(await this.#options.readVersion(deadline), deadline);
  }

  /** What a token has proven by the issuers that are known now; undefined if it must prove it anew. */
  findProof({ sha256 }: ShownJwt): Proof | undefined {
    const known = this.#proven.get(sha256);
    return known && known.version === this.#held.version && Date.now() < known.until ? known : undefined;
  }

  /**
   * What a token proves by the issuers that are known now; remembered until it ends, or five minutes.
   * @throws ApiError `unauthorized_agent`, `issuer_unavailable`: whoever asks sees first whether issuers have changed
   */
  async prove(jwt: ShownJwt): Promise<Proof> {
    const { version, issuers } = this.#held;
    try {
      const token = jwt.reveal();
      const claims = readJwt(token);
      const issuer = claims && findIssuer(issuers, claims);
      if (!issuer) throw new TokenRefused('no issuer here has its claims iss and aud');
      const verified = await verify(token, issuer.identity, issuer.keys.find);
      const workload = judge(issuer.identity, verified);
      const expiresAt = verified.exp * 1_000;
      const claim = { name: workload.agent, identityId: issuer.id, workload: workload.workload };
      const proof = { version, workload, claim, issuerVersion: issuer.version, expiresAt };
      const until = Math.min(expiresAt + toleranceSeconds * 1_000, Date.now() + tokenRememberedMs);
      this.#proven.set(jwt.sha256, { ...proof, until });
      return proof;
    } catch (error) {
      if (error instanceof IssuerUnavailable) throw new ApiError('issuer_unavailable', error.message);
      if (error instanceof TokenRefused || error instanceof NoWorkload)
        throw new ApiError('unauthorized_agent', error.message);
      throw error;
    }
  }
}

/** @throws Error that names an issuer which this version of the proxy cannot read */
function prepareIssuers(
  { version, rows }: DocumentsAt<DocumentAt<'identity'>>,
  held: Issuers,
  readJson: ReadJson,
): Issuers {
  const known = new Map(held.issuers.map((issuer) => [keyOf(issuer.identity), issuer.keys]));
  const issuers = rows.map(({ id, version: own, identity: written }) => {
    const { data: identity } = identitySchema.safeParse(written);
    if (identity === undefined) throw new Error(`issuer ${(written as { name?: unknown }).name} is of a later version`);
    const keys = known.get(keyOf(identity)) ?? new IssuerKeys(identity, readJson);
    return { id, version: own, identity, keys, issuer: identity.issuer, audiences: identity.audiences };
  });
  return { version, issuers };
}

/** Keys that were read stay known while an issuer has them in the same place. */
const keyOf = ({ name, issuer, keys }: Identity) => JSON.stringify([name, issuer, keys]);
