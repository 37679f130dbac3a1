import { ownSecrets } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { type Db, findNameOwner, listDocuments } from '@agp/db';
import {
  findIssuer,
  findOwnerFault,
  type Identity,
  judge,
  maxIdentities,
  NoWorkload,
  type TriedToken,
  type Workload,
} from '@agp/identities';
import { IssuerKeys, IssuerUnavailable, type ReadJson } from '@agp/identities/keys';
import { readJwt, TokenRefused, verify } from '@agp/identities/verify';
import { LRUCache } from 'lru-cache';
import { readIdentityDocument } from './identities.ts';

const nothing = { identity: null, rule: null, agent: null, agent_id: null, labels: {}, compliance_tag: null };

/** A proxy cannot tell it from a provider's credential where one belongs. */
const unproven = (why: string) =>
  `${why}: refused in X-Agent-Token, and everywhere with AGENT_IDENTITY=token; with AGENT_IDENTITY=open it goes to the provider as the key of an SDK, and the agent is whom the request declares`;

/** Says what tokens prove, as a proxy would. It stores and logs nothing of them. */
export class TokenTrier {
  /** By what they are read by, so that a change is seen at once. */
  readonly #keys = new LRUCache<string, IssuerKeys>({ max: maxIdentities });
  readonly #readJson: ReadJson;

  constructor(readJson: ReadJson) {
    this.#readJson = readJson;
  }

  async try(db: Db, token: string): Promise<TriedToken> {
    const claims = readJwt(token);
    if (claims === null) {
      const own = Object.entries(ownSecrets).find(([prefix]) => token.startsWith(prefix))?.[1];
      const problem = own === undefined ? unproven('it has not the form of a signed JWT') : `it is ${own}, no JWT`;
      return { passes: false, problem, ...nothing, expires_at: null };
    }
    const known = (await listDocuments(db, 'identity')).map((row) => ({ id: row.id, ...readIdentityDocument(row) }));
    const found = findIssuer(known, claims);
    const end = typeof claims.exp === 'number' ? new Date(claims.exp * 1_000) : null;
    const expires_at = end && !Number.isNaN(end.getTime()) ? end.toISOString() : null;
    if (found === undefined) {
      const isKnown = known.some(({ issuer }) => issuer === claims.iss);
      const problem = unproven(`no identity here has its claim ${isKnown ? 'aud' : 'iss'}`);
      return { passes: false, problem, ...nothing, expires_at };
    }
    const { id, ...identity } = found;
    const { faults, workload } = await this.#prove(token, identity, claims);
    const owner = workload && (await findNameOwner(db, workload.agent));
    const other = owner && findOwnerFault(owner, { identityId: id, workload: workload.workload });
    if (other) faults.push(`the agent that this token names ${other}`);
    const [problem = null] = faults;
    return {
      ...{ passes: problem === null, problem, identity: identity.name },
      ...{ rule: workload?.rule ?? null, agent: workload?.agent ?? null },
      agent_id: owner?.agent ? toPublicId('agt', owner.agent.id) : null,
      ...{ labels: workload?.labels ?? {}, compliance_tag: workload?.complianceTag ?? null, expires_at },
    };
  }

  /** What is wrong with a token, and whose it is by what it says itself: a rule may be tried with one that has expired. */
  async #prove(token: string, identity: Identity, claims: Record<string, unknown>) {
    const faults: string[] = [];
    let workload: Workload | null = null;
    const note = (error: unknown) => {
      const isKnown = [IssuerUnavailable, TokenRefused, NoWorkload].some((kind) => error instanceof kind);
      if (!isKnown) throw error;
      faults.push((error as Error).message);
    };
    await verify(token, identity, this.#keysOf(identity).find).catch(note);
    try {
      workload = judge(identity, claims);
    } catch (error) {
      note(error);
    }
    return { faults, workload };
  }

  #keysOf(identity: Identity): IssuerKeys {
    const key = JSON.stringify([identity.issuer, identity.keys]);
    const known = this.#keys.get(key) ?? new IssuerKeys(identity, this.#readJson);
    this.#keys.set(key, known);
    return known;
  }
}
