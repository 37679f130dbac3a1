import { ApiError } from '@agp/core/errors';
import {
  addReplacements,
  type CheckedText,
  type FoundInBytes,
  type InspectedBody,
  listFindings,
  listRequestTexts,
  numberTexts,
  replaceInSteps,
} from '@agp/metering';
import {
  type CallFacts,
  type Direction,
  type Finding,
  nameKind,
  PolicyDenied,
  type Prepared,
  type RuleSet,
} from '@agp/policy';
import type { OpenLabels } from '@agp/reservations';
import { inTurns } from '@agp/runtime';
import type { Holder } from '@agp/runtime/fairness';
import { askChecks, type Checked, failAll, listChecking } from '../check/ask-checks.ts';
import type { Setup, Stores, Working } from '../context.ts';
import { type Agent, type Body, type DataOfCall, type Head, toHolder } from '../journey.ts';
import { AnswerData } from './answer-data.ts';
import { type DataRules, findDataRules } from './data-rules.ts';
import { Replacements } from './replacements.ts';

/** New values of one kind that an answer may number. */
const reservedNumbers = 32;

interface SearchedCall {
  facts: Pick<CallFacts, 'data' | 'checks'>;
  found: FoundInBytes | null;
}

/** What rules of data ask of one call and do with it. */
export class CallData implements DataOfCall {
  readonly #context: Setup & Stores & Working;
  readonly #head: Head;
  readonly #agent: Agent;
  readonly #of: { rules: RuleSet; facts: CallFacts };
  readonly #request: DataRules | null;
  readonly #response: DataRules | null;
  #labels: OpenLabels | null = null;
  #sessionId = '';
  #isRestored = false;

  private constructor(
    context: Setup & Stores & Working,
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
  }

  /** Null if none concerns it. */
  static of(
    context: Setup & Stores & Working,
    head: Head,
    agent: Agent,
    rules: RuleSet,
    facts: CallFacts,
  ): CallData | null {
    const [request, response] = [findDataRules(rules, facts, 'request'), findDataRules(rules, facts, 'response')];
    if (request === null && response === null) return null;
    return new CallData(context, head, agent, { rules, facts }, request, response);
  }

  get changesAnswer(): boolean {
    return this.#response !== null;
  }

  /** What the request's texts hold. @throws ApiError `proxy_overloaded` if they cannot be searched now */
  async search(body: Body, sessionId: string): Promise<SearchedCall> {
    const none = (unsearched: string | null) => ({
      facts: { data: { found: [], unsearched }, checks: new Map() },
      found: null,
    });
    if (this.#request === null || !this.#head.hasBody) return none(null);
    if (body.inspected === null) return none('a body on a path that is not known');
    const { isPacked } = this.#head;
    if (isPacked && body.inspected.form.decoded === null) return none('a body that is encoded');
    const checking = listChecking(this.#request.policies, this.#of.facts, 'request');
    // A request may be judged twice, and a search takes long.
    const asked = JSON.stringify([
      this.#request.config,
      checking.map(({ policy }) => [policy.name, policy.mode, policy.check]),
    ]);
    const known = body.searched?.asked === asked ? body.searched : null;
    const searched = known ?? { asked, ...(await this.#search(body.inspected, checking, sessionId)) };
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

  async #search({ form, toProvider }: InspectedBody, checking: readonly Prepared[], sessionId: string) {
    const bytes = form.decoded ?? toProvider;
    const { config } = this.#request as DataRules;
    const holder = toHolder(this.#agent, this.#head);
    const found = await this.#try({ bytes, form }, config, holder);
    if (checking.length === 0) return { found, checked: null };
    const texts = listRequestTexts(bytes, form.contentType);
    const checked = await this.#ask('request', sessionId, checking, texts && numberTexts(texts));
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

  #ask(
    direction: Direction,
    sessionId: string,
    policies: readonly Prepared[],
    texts: readonly CheckedText[] | null,
  ): Promise<Checked> {
    const { eventId, provider } = this.#head;
    const { id: agentId, name: agent } = this.#agent;
    const { tag, models } = this.#of.facts;
    const call = {
      direction,
      eventId,
      agent,
      agentId,
      sessionId,
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
  async redact(
    { inspected }: Body,
    found: FoundInBytes | null,
    findings: readonly Finding[],
    sessionId: string,
  ): Promise<Buffer | null> {
    this.#sessionId = sessionId;
    const keepsValues = this.#response?.config.findsLabels === true;
    this.#isRestored = keepsValues;
    const reserve = this.#response?.writesLabels ? reservedNumbers : 0;
    const { sessionLabels } = this.#context;
    if (keepsValues || reserve > 0 || (findings.length > 0 && this.#request?.writesLabels))
      this.#labels = (await this.#assure(sessionLabels.open(sessionId, { keepsValues, reserve }))) ?? null;
    const [first] = findings;
    if (first === undefined || inspected === null || found === null) return null;
    try {
      return await this.#replace(inspected.toProvider, found, [first, ...findings]);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async #replace(bytes: Buffer, found: FoundInBytes, findings: readonly [Finding, ...Finding[]]): Promise<Buffer> {
    const rules = this.#request as DataRules;
    const { piiHashKey } = this.#context.config;
    const hashing = findings.find(({ policy }) => policy.pii?.replace_with === 'hash');
    const keyless = piiHashKey === undefined ? hashing : undefined;
    const why = keyless
      ? 'whose hash needs PII_HASH_KEY, which is not set'
      : 'which cannot be replaced in a form or an encoded body';
    const refusing = keyless ?? findings[0];
    if (!found.isChangeable || keyless) throw new PolicyDenied([{ ...refusing, reason: `${refusing.reason}, ${why}` }]);
    // An earlier judgement may have decided otherwise.
    const all = [...listFindings(found.places)].filter(({ isPut }) => !isPut);
    for (const { decided } of all) delete decided.instead;
    const values = all.filter(({ kind }) => rules.decide(kind)?.action === 'redact');
    const named = values.map(({ kind, value }) => ({ kind: nameKind(kind), value }));
    if (this.#labels !== null) await this.#assure(this.#labels.assign(named));
    const replacements = new Replacements(this.#labels, piiHashKey);
    const put = (kind: string, value: string) => {
      const decided = rules.decide(kind);
      return decided?.action === 'redact' ? replacements.write(decided.by, kind, value) : null;
    };
    return inTurns(replaceInSteps(bytes, found.places, put));
  }

  /** What becomes of its answer; null if no rule of data asks. */
  openAnswer(): AnswerData | null {
    const replacements = new Replacements(this.#labels, this.#context.config.piiHashKey);
    if (this.#response === null) return null;
    const enforced = this.#response.policies.filter(({ policy }) => policy.mode === 'enforce');
    const checking = listChecking(enforced, this.#of.facts, 'response');
    const ask = (texts: readonly CheckedText[] | null) => this.#ask('response', this.#sessionId, checking, texts);
    return new AnswerData(
      this.#response,
      this.#of,
      replacements,
      checking.length === 0 ? null : { ask, fail: () => failAll(checking) },
    );
  }

  close(): void {
    void this.#labels?.close();
  }

  /** Without Redis labels have no numbers, by which they could be put back. @throws ApiError `labels_unavailable` if they must be */
  async #assure<Value>(work: Promise<Value>): Promise<Value | undefined> {
    try {
      return await work;
    } catch {
      if (this.#isRestored) throw new ApiError('labels_unavailable');
      return undefined;
    }
  }
}
