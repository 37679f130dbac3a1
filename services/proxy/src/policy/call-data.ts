import { ApiError } from '@agp/core/errors';
import {
  addReplacements,
  type CheckedText,
  type FoundInBytes,
  type InspectedBody,
  type KnownValue,
  listFindings,
  listRequestTexts,
  type Metering,
  numberTexts,
  type Redactor,
  replaceInSteps,
  type SearchConfig,
} from '@agp/metering';
import { kindOfLabel } from '@agp/pii/label';
import {
  type CallFacts,
  type Direction,
  type Finding,
  nameKind,
  PolicyDenied,
  type Prepared,
  type RuleSet,
} from '@agp/policy';
import type { SessionValues } from '@agp/reservations';
import { inTurns } from '@agp/runtime';
import type { Holder } from '@agp/runtime/fairness';
import type { ProxyConfig } from '../config.ts';
import type { Agent } from '../identity/workload.ts';
import { type Body, type Checked, type DataOfCall, type Head, toHolder } from '../journey.ts';
import { AnswerData } from './answer-data.ts';
import { askChecks, failAll, listChecking } from './ask-checks.ts';
import type { Checks } from './checks.ts';
import { type DataRules, findDataRules } from './data-rules.ts';
import { Replacements } from './replacements.ts';

/** What it works with. */
interface Means {
  config: Pick<ProxyConfig, 'piiHashKey'>;
  metering: Metering;
  checks: Checks;
  sessionValues: SessionValues;
}

interface SearchedCall {
  facts: Pick<CallFacts, 'data' | 'checks'>;
  found: FoundInBytes | null;
}

/** What rules of data ask of one call and do with it. */
export class CallData implements DataOfCall {
  readonly #context: Means;
  readonly #head: Head;
  readonly #agent: Agent;
  readonly #of: { rules: RuleSet; facts: CallFacts };
  readonly #request: DataRules | null;
  readonly #response: DataRules | null;
  #replacements: Replacements;
  #sessionId = '';

  private constructor(
    context: Means,
    head: Head,
    agent: Agent,
    of: { rules: RuleSet; facts: CallFacts },
    request: DataRules | null,
    response: DataRules | null,
  ) {
    this.#context = context;
    this.#head = head;
    this.#agent = agent;
    this.#of = of;
    this.#request = request;
    this.#response = response;
    this.#replacements = new Replacements(agent.uuid, context.config.piiHashKey);
  }

  /** Null if none concerns it. */
  static of(context: Means, head: Head, agent: Agent, rules: RuleSet, facts: CallFacts): CallData | null {
    const request = findDataRules(rules, facts, 'request');
    const response = findDataRules(rules, facts, 'response', request?.restores);
    if (request === null && response === null) return null;
    return new CallData(context, head, agent, { rules, facts }, request, response);
  }

  get changesAnswer(): boolean {
    return this.#response !== null;
  }

  /** What the request's texts hold. @throws ApiError `proxy_overloaded` if they cannot be searched now, `labels_unavailable` */
  async search(body: Body, sessionId: string): Promise<SearchedCall> {
    this.#sessionId = sessionId;
    const values = await this.#openSession(body);
    const none = (unsearched: string | null) => ({
      facts: { data: { found: [], unsearched }, checks: new Map() },
      found: null,
    });
    if (this.#request === null || !this.#head.hasBody) return none(null);
    if (body.inspected === null) return none('a body on a path that is not known');
    const { isPacked } = this.#head;
    if (isPacked && body.inspected.form.decoded === null) return none('a body that is encoded');
    const checking = listChecking(this.#request.policies, this.#of.facts, 'request');
    const config = { ...this.#request.config, values };
    // A request may be judged twice, and a search takes long.
    const asked = JSON.stringify([config, checking.map(({ policy }) => [policy.name, policy.mode, policy.check])]);
    const known = body.searched?.asked === asked ? body.searched : null;
    const searched = known ?? { asked, ...(await this.#search(body.inspected, config, checking)) };
    body.searched = searched;
    const { found, checked } = searched;
    const counts = new Map<string, number>();
    for (const { kind, isPut } of listFindings(found.places)) if (!isPut) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const data = { found: [...counts].map(([kind, count]) => ({ kind, count })), unsearched: found.unsearched };
    return {
      facts: { data, checks: checked?.verdicts ?? new Map() },
      found: { ...found, isChangeable: found.isChangeable && !isPacked },
    };
  }

  /** What the named session knows, to be looked for. @throws ApiError `labels_unavailable` if what the provider keeps needs it */
  async #openSession(body: Body): Promise<KnownValue[]> {
    if (!this.#keepsValues) return [];
    const { uuid } = this.#agent;
    const { sessionValues, config } = this.#context;
    const held = (await this.#assure(body, sessionValues.load(uuid, this.#sessionId))) ?? new Map<string, string>();
    const known = [...held].map(([label, value]) => {
      return { label, value, decided: this.#request?.decideByName(kindOfLabel(label)) };
    });
    const restored = known
      .filter(({ decided }) => decided?.restores)
      .map(({ label, value }) => [label, value] as const);
    this.#replacements = new Replacements(uuid, config.piiHashKey, new Map(restored));
    return known.flatMap(({ value, decided }) =>
      decided === undefined || decided.action === 'flag' ? [] : [{ kind: decided.kind, value }],
    );
  }

  /** Sessions that nobody named may be those of several people. */
  get #keepsValues(): boolean {
    return this.#request?.restores === true && this.#head.sessionName !== null;
  }

  /** @throws ApiError `labels_unavailable` if it fails, and part of the conversation does not stand in the body */
  async #assure<Value>({ inspected }: Body, work: Promise<Value>): Promise<Value | undefined> {
    try {
      return await work;
    } catch {
      const isStored = this.#head.hasBody ? inspected?.hasReference : this.#head.operation !== null;
      if (isStored) throw new ApiError('labels_unavailable');
      return undefined;
    }
  }

  async #search({ form, toProvider }: InspectedBody, config: SearchConfig, checking: readonly Prepared[]) {
    const bytes = form.decoded ?? toProvider;
    const holder = toHolder(this.#agent, this.#head);
    const found = await this.#try({ bytes, form }, config, holder);
    if (checking.length === 0) return { found, checked: null };
    const texts = listRequestTexts(bytes, form.contentType);
    const checked = await this.#ask('request', checking, texts && numberTexts(texts));
    if (texts === null) return { found, checked };
    return { found: { ...found, places: addReplacements(found.places, texts, checked.replacements) }, checked };
  }

  /** What nobody enforces goes on unsearched, rather than being refused. */
  async #try(body: { bytes: Buffer; form: InspectedBody['form'] }, config: DataRules['config'], holder: Holder) {
    try {
      return await this.#context.metering.searchBody(body, config, holder);
    } catch (error) {
      if (this.#request?.isEnforced) throw error;
      return { places: [], unsearched: 'what waited for its search for too long', isChangeable: true };
    }
  }

  #ask(direction: Direction, policies: readonly Prepared[], texts: readonly CheckedText[] | null): Promise<Checked> {
    const { eventId, provider } = this.#head;
    const { id: agentId, name: agent } = this.#agent;
    const { tag, models } = this.#of.facts;
    const call = {
      direction,
      eventId,
      agent,
      agentId,
      sessionId: this.#sessionId,
      provider: provider.id,
      model: models?.[0] ?? null,
      tag,
    };
    return askChecks(this.#context.checks, policies, call, texts);
  }

  /**
   * The body with something in the place of what rules replace; null if they replace nothing.
   * @param findings that replace
   * @throws ApiError `policy_denied` if it cannot be changed, `labels_unavailable`
   */
  async redact(body: Body, found: FoundInBytes | null, findings: readonly Finding[]): Promise<Buffer | null> {
    const [first] = findings;
    if (first === undefined || body.inspected === null || found === null) return null;
    const changed = await this.#replace(body.inspected.toProvider, found, [first, ...findings]);
    const { fresh } = this.#replacements;
    if (this.#keepsValues && fresh.size > 0)
      await this.#assure(body, this.#context.sessionValues.keep(this.#agent.uuid, this.#sessionId, fresh));
    return changed;
  }

  async #replace(bytes: Buffer, found: FoundInBytes, findings: readonly [Finding, ...Finding[]]): Promise<Buffer> {
    const rules = this.#request as DataRules;
    const signed = findings.find(({ policy }) => policy.pii?.signed === 'refuse');
    const held = listFindings(found.places).find(
      ({ kind, isSigned }) => isSigned && rules.decide(kind)?.action === 'redact',
    );
    if (signed && held)
      throw new PolicyDenied([
        { ...signed, reason: `${signed.reason}, ${nameKind(held.kind)} of it in what its provider signed` },
      ]);
    const { piiHashKey } = this.#context.config;
    const hashing = findings.find(({ policy }) => policy.pii?.replace_with === 'hash');
    const keyless = piiHashKey === undefined ? hashing : undefined;
    const why = keyless
      ? 'whose hash needs PII_HASH_KEY, which is not set'
      : 'which cannot be replaced in a form or an encoded body';
    const refusing = keyless ?? findings[0];
    if (!found.isChangeable || keyless) throw new PolicyDenied([{ ...refusing, reason: `${refusing.reason}, ${why}` }]);
    // An earlier judgement may have decided otherwise.
    for (const { isPut, decided } of listFindings(found.places)) if (!isPut) delete decided.instead;
    const put: Redactor['put'] = (kind, value, _isSigned, beside) => {
      const decided = rules.decide(kind, beside);
      return decided?.action === 'redact' ? this.#replacements.writeOwn(decided, kind, value) : null;
    };
    return inTurns(replaceInSteps(bytes, found.places, put));
  }

  /** What becomes of its answer; null if no rule of data asks. */
  openAnswer(): AnswerData | null {
    if (this.#response === null) return null;
    const enforced = this.#response.policies.filter(({ policy }) => policy.mode === 'enforce');
    const checking = listChecking(enforced, this.#of.facts, 'response');
    const ask = (texts: readonly CheckedText[] | null) => this.#ask('response', checking, texts);
    return new AnswerData(
      this.#response,
      this.#of,
      this.#replacements,
      checking.length === 0 ? null : { ask, fail: () => failAll(checking) },
    );
  }
}
