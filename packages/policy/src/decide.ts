import { ApiError } from '@agp/core/errors';
import { toEventText } from '@agp/core/events';
import { type CalledTool, nameCalled } from './declared-tools.ts';
import { isModelListed } from './model-names.ts';
import { isListed } from './names.ts';
import {
  type AllowOrDeny,
  type AnswerFacts,
  bodyRules,
  type CallFacts,
  type CallHead,
  describeTool,
  type Fault,
  headRules,
  isAllowedModel,
  isAllowedTool,
  type Prepared,
  prepare,
  type RuleName,
} from './rules.ts';
import type { Policy, Selector } from './schema.ts';

/** A rule that does not let a call pass, and why. */
export interface Finding extends Fault {
  policy: Policy;
  /** The policy's own. */
  version: number;
  rule: RuleName;
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

const judge = <Facts extends CallHead>(
  { policies }: RuleSet,
  facts: Facts,
  rules: readonly Judged<Facts>[],
): Finding[] =>
  policies
    .filter((prepared) => applies(prepared, facts))
    .flatMap((prepared) => {
      const { policy, version } = prepared;
      return rules.flatMap(({ name, of, judge }): Finding[] => {
        const fault = of(policy) === undefined ? null : judge(prepared, facts);
        return fault === null ? [] : [{ policy, version, rule: name, ...fault }];
      });
    });

/** What all policies that match say of a request's head; none lets it pass. */
export const judgeHead = (rules: RuleSet, head: CallHead): Finding[] => judge(rules, head, headRules);

/** What they say of all of it but its head. */
export const judgeBody = (rules: RuleSet, facts: CallFacts): Finding[] => judge(rules, facts, bodyRules);

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
  const isAsked = model !== null && isModelListed((models ?? []).map(toLast), toLast(model));
  return policies
    .filter((prepared) => applies(prepared, facts))
    .flatMap(({ policy, version }) =>
      [...listAnswerFaults(policy, model, isAsked, called)].map(([rule, fault]) => ({
        policy,
        version,
        rule,
        ...fault,
      })),
    );
}

/** Whether a policy holds for a call, at its time. */
export function applies({ policy: { match }, endsAt }: RuleSet['policies'][number], facts: CallHead): boolean {
  const { not, ...selector } = match;
  return facts.at < endsAt && selects(selector, facts) && (not === undefined || !selects(not, facts));
}

function selects({ agents, labels, tags, providers }: Selector, facts: CallHead): boolean {
  const isOne = (patterns: readonly string[] | undefined, name: string) =>
    patterns === undefined || isListed(patterns, name);
  return (
    isOne(agents, facts.agent) &&
    isOne(tags, facts.tag) &&
    isOne(providers, facts.provider) &&
    Object.entries(labels ?? {}).every(
      ([label, values]) => Object.hasOwn(facts.labels, label) && isOne(values, facts.labels[label] as string),
    )
  );
}

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

/** Whether a rule asks which models and tools a request names. */
export const asksNames = ({ policies }: RuleSet): boolean =>
  policies.some(({ policy }) => policy.models !== undefined || policy.tools !== undefined);

/** The longest text of policy, rule and reason, in UTF-16 units: an agent chooses names in it. */
const maxDecidedBy = 400;

/** Says to an agent what refused or ended its request. */
export class PolicyDenied extends ApiError {
  readonly finding: Finding;

  constructor(finding: Finding) {
    const { policy, rule, reason } = finding;
    const hint = policy.refusal?.replaceAll('{rule}', rule).replaceAll('{policy}', policy.name);
    super(
      'policy_denied',
      `denied by policy ${policy.name} (rule ${rule}): ${reason}${hint === undefined ? '' : `; ${hint}`}`,
    );
    this.finding = finding;
  }

  /** `policy rule: why`, as lists of refusals show it. */
  get decidedBy(): string {
    const { policy, rule, reason } = this.finding;
    return toEventText(`${policy.name} ${rule}: ${reason}`, maxDecidedBy);
  }
}

/** The rules of a policy that an answer can break, if they end it. */
function listEnding({ mode, models, tools }: Policy): RuleName[] {
  if (mode !== 'enforce') return [];
  const blocks = tools?.on_call === 'block';
  return [
    ...(models ? (['models'] as const) : []),
    ...(blocks && tools.client ? (['tools.client'] as const) : []),
    ...(blocks && tools.hosted ? (['tools.hosted'] as const) : []),
  ];
}

/** Whether a policy may end the answer to a call, so that nothing of it may pass unread. */
export const mayEnd = ({ policies }: RuleSet, head: CallHead): boolean =>
  policies.some((prepared) => listEnding(prepared.policy).length > 0 && applies(prepared, head));

/** Whether a finding about an answer ends it. */
export const ends = ({ policy, rule }: Finding): boolean => listEnding(policy).includes(rule);

/** What policies say of an answer that cannot be read. */
export function judgeUnread({ policies }: RuleSet, head: CallHead): Finding[] {
  return policies.flatMap((prepared) => {
    const { policy, version } = prepared;
    const [rule] = listEnding(policy);
    if (rule === undefined || policy.unreadable === 'allow' || !applies(prepared, head)) return [];
    return [{ policy, version, rule, reason: 'its answer cannot be read', isUnread: true }];
  });
}

/** Whether a rule asks what a request is likely to cost. */
export const asksCost = ({ policies }: RuleSet): boolean =>
  policies.some(({ policy }) => policy.limits?.max_cost_usd !== undefined);
