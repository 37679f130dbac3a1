import { readMakersName } from '@agp/core/bedrock';
import { ApiError } from '@agp/core/errors';
import { maxDecisions, toEventText } from '@agp/core/events';
import { isModelListed, isSpelled, type Selector, selects } from '@agp/documents';
import { type AllowOrDeny, describeTool, isAllowedModel, isAllowedTool } from './allowed.ts';
import { type Direction, ownKind } from './data-rules.ts';
import { type DataAction, dataActions, type Put, puts } from './data-schema.ts';
import { type CalledTool, nameCalled } from './declared-tools.ts';
import type { AnswerFacts, CallFacts, HeadFacts } from './facts.ts';
import {
  answerRules,
  bodyRules,
  excepts,
  type Fault,
  headRules,
  type Prepared,
  prepare,
  type RuleName,
} from './rules.ts';
import type { Policy, PolicyException } from './schema.ts';

/** A rule that does not let a call pass, and why. */
export interface Finding extends Fault {
  policy: Policy;
  /** The policy's own. */
  version: number;
  rule: RuleName;
  /** What lets the call pass all the same; null if nothing does. */
  exception: PolicyException | null;
}

/** All policies of an installation at one version, made ready once. */
export interface RuleSet {
  version: number;
  policies: readonly Prepared[];
}

export function prepareRules(version: number, policies: readonly { version: number; policy: Policy }[]): RuleSet {
  return { version, policies: policies.map((each) => prepare(each.policy, each.version)) };
}

interface Judged<Facts> {
  name: RuleName;
  of(policy: Policy): unknown;
  judge(prepared: Prepared, facts: Facts): Fault | null;
}

const judge = <Facts extends HeadFacts>(
  { policies }: RuleSet,
  facts: Facts,
  rules: readonly Judged<Facts>[],
): Finding[] =>
  policies
    .filter((prepared) => applies(prepared, facts))
    .flatMap((prepared) => {
      const find = makeFinder(prepared, facts);
      return rules.flatMap(({ name, of, judge }): Finding[] => {
        const fault = of(prepared.policy) === undefined ? null : judge(prepared, facts);
        return fault === null ? [] : [find(name, fault)];
      });
    });

/** What all policies that match say of a request's head; none lets it pass. */
export const judgeHead = (rules: RuleSet, head: HeadFacts): Finding[] => judge(rules, head, headRules);

/** What they say of all of it but its head. */
export const judgeBody = (rules: RuleSet, facts: CallFacts): Finding[] => judge(rules, facts, bodyRules);

/** What they say of where it goes. */
export const judgePlace = (rules: RuleSet, facts: CallFacts): Finding[] =>
  judge(
    rules,
    facts,
    bodyRules.filter(({ family }) => family === 'where'),
  );

/** The same, a policy a step: a request may name a thousand tools. */
export function* judgeBodyInSteps(rules: RuleSet, facts: CallFacts): Generator<undefined, Finding[]> {
  const findings: Finding[] = [];
  for (const each of rules.policies) {
    findings.push(...judgeBody({ ...rules, policies: [each] }, facts));
    yield;
  }
  return findings;
}

/** What they say of an answer. */
export function judgeAnswer({ policies }: RuleSet, facts: AnswerFacts): Finding[] {
  const { model, models } = facts;
  const called = nameCalled(facts.called, facts.tools);
  const asked = (models ?? []).map(toLast);
  // Bedrock's answers leave out what stands around the maker's own name.
  const isAsked =
    model !== null &&
    (isModelListed(asked, toLast(model)) || asked.some((each) => readMakersName(each) === toLast(model)));
  return policies
    .filter((prepared) => applies(prepared, facts))
    .flatMap((prepared) => {
      const find = makeFinder(prepared, facts);
      return [...listAnswerFaults(prepared.policy, model, isAsked, called)].map(([rule, fault]) => find(rule, fault));
    })
    .concat(facts.answer === undefined ? [] : judge({ version: 0, policies }, facts, answerRules));
}

/** Policies whose rules of data hold for a call. */
export const listDataPolicies = ({ policies }: RuleSet, head: HeadFacts, direction: Direction): Prepared[] =>
  policies.filter(
    (prepared) => (prepared.policy.pii?.[direction] ?? prepared.policy.check?.[direction]) && applies(prepared, head),
  );

/** What becomes of a kind by all policies that name it: a further one never makes it weaker. */
export interface DataDecision {
  /** The strictest. */
  action: DataAction;
  /** Of those that redact, what says least. */
  put: Put;
  /** Some redact it, and all of these restore. */
  restores: boolean;
}

export function decideKinds(policies: readonly Prepared[], direction: Direction): ReadonlyMap<string, DataDecision> {
  const decided = new Map<string, DataDecision>();
  for (const { policy, data } of policies)
    for (const [kind, action] of data[direction]) {
      const { replace_with: put = 'label', restore: restores = false } = policy.pii ?? {};
      const own = { action, put, restores: action === 'redact' && restores };
      const known = decided.get(kind);
      decided.set(kind, known === undefined ? own : joinDecisions(known, own));
    }
  return decided;
}

/** What becomes of something for which both hold. */
export function joinDecisions(one: DataDecision, other: DataDecision): DataDecision {
  const [milder, stricter] =
    dataActions.indexOf(one.action) > dataActions.indexOf(other.action) ? [other, one] : [one, other];
  if (milder.action !== 'redact' || stricter.action !== 'redact') return stricter;
  const put = puts.indexOf(one.put) < puts.indexOf(other.put) ? one.put : other.put;
  return { action: 'redact', put, restores: one.restores && other.restores };
}

/** Their own patterns, as texts are searched for them. */
export const listPatterns = (policies: readonly Prepared[]) =>
  policies.flatMap(({ policy: { name, pii } }) =>
    (pii?.patterns ?? []).map(({ name: own, pattern, longest }) => ({ kind: ownKind(name, own), pattern, longest })),
  );

/** The exception from a rule that holds for a call, at its time; null if none does. */
export function findException({ exceptions }: Prepared, facts: HeadFacts, rule: RuleName): PolicyException | null {
  const held = exceptions.find(
    ({ exception, endsAt }) => facts.at < endsAt && excepts(exception, rule) && excuses(exception.match, facts),
  );
  return held?.exception ?? null;
}

export const makeFinder =
  (prepared: Prepared, facts: HeadFacts) =>
  (rule: RuleName, fault: Fault): Finding => {
    const { policy, version } = prepared;
    return { policy, version, rule, exception: findException(prepared, facts, rule), ...fault };
  };

/** Whether a finding decides: its policy is enforced, and no exception lets the call pass. */
export const isEnforced = ({ policy, exception }: Finding): boolean => policy.mode === 'enforce' && exception === null;

/** Whether a policy holds for a call, at its time. */
export function applies({ policy: { match }, endsAt }: RuleSet['policies'][number], facts: HeadFacts): boolean {
  const { not, ...selector } = match;
  return facts.at < endsAt && selects(selector, facts) && (not === undefined || !excuses(not, facts));
}

/** An agent whose name is in another case is another one: a policy catches it with the rest, but does not let it pass as one of them. */
const excuses = (selector: Selector, facts: HeadFacts): boolean =>
  selects(selector, facts) && isSpelled(selector.agents, facts.agent);

function* listAnswerFaults(
  { models, tools }: Policy,
  model: string | null,
  isAsked: boolean,
  called: readonly CalledTool[],
): Generator<[RuleName, Fault]> {
  if (models && model !== null && !mayAnswer(models, model, isAsked))
    yield ['models', { reason: `the model ${model}, which answered, is not allowed` }];
  for (const kind of ['client', 'hosted'] as const) {
    const isDenied = ({ maybe }: CalledTool) => tools && !maybe.every((each) => isAllowedTool(tools, kind, each));
    const denied = called.filter(isDenied).map(({ tool }) => tool);
    if (denied[0])
      yield [`tools.${kind}`, { reason: `${describeTool(denied[0])}, which was called, is not allowed`, denied }];
  }
}

/** A version of what was asked for is that, unless it is denied by its own name. */
const mayAnswer = ({ allow, deny }: AllowOrDeny, model: string, isAsked: boolean): boolean =>
  isAllowedModel({ deny }, model) && (isAsked || isAllowedModel({ allow }, model));

/** Providers name a model without its folder, and Vertex AI versions with `@`. */
const toLast = (name: string) => name.replace(/^.*\//, '');

/** Rules that a refusal tells, of all that it broke. */
const maxTold = 5;
/** The longest text of policies, rules and reasons, in UTF-16 units: an agent chooses names in it. */
const maxDecidedBy = 800;

/** Says to an agent what refused or ended its request. */
export class PolicyDenied extends ApiError {
  /** All that do not let it pass. */
  readonly findings: readonly [Finding, ...Finding[]];

  constructor(findings: readonly [Finding, ...Finding[]]) {
    const [{ policy, rule }] = findings;
    const hint = policy.refusal?.replaceAll('{rule}', rule).replaceAll('{policy}', policy.name);
    const told = tell(findings, (by, name) => `by policy ${by} (rule ${name})`);
    super('policy_denied', `denied ${told}${hint === undefined ? '' : `; ${hint}`}`);
    this.findings = findings;
  }

  /** Undefined without a finding. */
  static by([first, ...others]: readonly Finding[]): PolicyDenied | undefined {
    return first && new PolicyDenied([first, ...others]);
  }

  /** As lists of refusals find it. */
  get decision(): { policy: string; rule: RuleName }[] {
    return this.findings.slice(0, maxDecisions).map(({ policy, rule }) => ({ policy: policy.name, rule }));
  }

  /** `policy rule: why`, as lists of refusals show it. */
  get decidedBy(): string {
    return toEventText(
      tell(this.findings, (policy, rule) => `${policy} ${rule}`),
      maxDecidedBy,
    );
  }
}

/** `first: why; also second: why; and 2 more`. */
function tell(findings: readonly Finding[], name: (policy: string, rule: string) => string): string {
  const told = findings.slice(0, maxTold).map(({ policy, rule, reason }) => `${name(policy.name, rule)}: ${reason}`);
  const more = findings.length - told.length;
  return `${told.join('; also ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** The rules of a policy that an answer can break, if they end it. */
function listEnding({ mode, models, tools, pii, check }: Policy): RuleName[] {
  if (mode !== 'enforce') return [];
  const blocks = tools?.on_call === 'block';
  return [
    ...(models ? (['models'] as const) : []),
    ...(blocks && tools.client ? (['tools.client'] as const) : []),
    ...(blocks && tools.hosted ? (['tools.hosted'] as const) : []),
    ...(pii?.response ? (['pii.response'] as const) : []),
    ...(check?.response ? (['check.response'] as const) : []),
  ];
}

/** Whether a policy may end the answer to a call, so that nothing of it may pass unread. */
export const mayEnd = ({ policies }: RuleSet, head: HeadFacts): boolean =>
  policies.some((prepared) => findEnding(prepared, head) !== undefined && applies(prepared, head));

const findEnding = (prepared: Prepared, head: HeadFacts): RuleName | undefined =>
  listEnding(prepared.policy).find(
    (rule) => !answerRules.some(({ name }) => name === rule) && findException(prepared, head, rule) === null,
  );

/** Whether a finding about an answer ends it. */
export const ends = ({ policy, rule, exception, remedy }: Finding): boolean =>
  exception === null && remedy === undefined && listEnding(policy).includes(rule);

/** What policies say of an answer that cannot be read. */
export function judgeUnread({ policies }: RuleSet, head: HeadFacts): Finding[] {
  return policies.flatMap((prepared) => {
    const rule = findEnding(prepared, head);
    if (rule === undefined || prepared.policy.unreadable === 'allow' || !applies(prepared, head)) return [];
    return [makeFinder(prepared, head)(rule, { reason: 'its answer cannot be read', isUnread: true })];
  });
}

/** Whether a rule asks what a request is likely to cost. */
export const asksCost = ({ policies }: RuleSet): boolean =>
  policies.some(({ policy }) => policy.limits?.max_cost_usd !== undefined);
