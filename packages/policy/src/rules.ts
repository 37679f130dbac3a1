import { hidesModel, isGuardrail } from '@agp/core/bedrock';
import type { EventTool } from '@agp/core/events';
import { prepareLists } from '@agp/documents';
import { type AllowOrDeny, describeTool, isAllowed, isAllowedModel, isAllowedTool, type ToolKind } from './allowed.ts';
import {
  type DataActions,
  type DataFault,
  type Direction,
  judgeCheck,
  judgeData,
  listDataActions,
} from './data-rules.ts';
import type { AnswerFacts, CallFacts, HeadFacts } from './facts.ts';
import { isWithin, openClock, parseHours } from './hours.ts';
import type { Policy, PolicyException } from './schema.ts';

/** A policy, made ready once. */
export interface Prepared {
  /** The policy's own. */
  version: number;
  policy: Policy;
  endsAt: number;
  isOpen: (at: number) => boolean;
  data: Readonly<Record<Direction, DataActions>>;
  exceptions: readonly { exception: PolicyException; endsAt: number }[];
}

export function prepare(policy: Policy, version: number): Prepared {
  const { hours, until, exceptions = [] } = policy;
  prepareLists(policy);
  const spans = hours === undefined ? null : (parseHours(hours.allow) ?? []);
  const clock = hours === undefined ? null : openClock(hours.zone);
  return {
    version,
    policy,
    endsAt: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
    data: { request: listDataActions(policy, 'request'), response: listDataActions(policy, 'response') },
    isOpen: (at) => spans === null || clock === null || isWithin(spans, clock(new Date(at))),
    exceptions: exceptions.map((exception) => ({ exception, endsAt: Date.parse(exception.until) })),
  };
}

/** Why a rule does not let a call pass, in words for its agent. */
export interface Fault extends DataFault {
  /** Tools that it denies, if it is a rule of tools. */
  denied?: readonly EventTool[];
}

/**
 * What a rule asks about: what a call says of itself, its tools, where it goes and by what guardrail, what texts hold, or what a check
 * says of these.
 */
type Family = 'call' | 'tools' | 'where' | 'pii' | 'check';

/** A rule of policies. What a policy says of it, what it asks of a call, and what a record may lack: each stands here alone. */
interface Rule<Name extends string, Facts extends HeadFacts> {
  readonly name: Name;
  /** Its member of a policy; undefined if that has no such rule. */
  of(policy: Policy): unknown;
  /** Null if it lets the call pass. Called only if the policy has the rule. */
  judge(prepared: Prepared, facts: Facts): Fault | null;
  /** Why a record may not tell, in words; absent if each does. */
  readonly missing?: string;
}

const rule = <Name extends string, Facts extends HeadFacts>(family: Family, row: Rule<Name, Facts>) => ({
  family,
  ...row,
});

/** Decided before a request's body is read. */
export const headRules = [
  rule('call', {
    name: 'providers',
    of: ({ providers }) => providers,
    judge: ({ policy: { providers = {} } }, { provider }: HeadFacts) =>
      isAllowed(providers, [provider]) ? null : { reason: `the provider ${provider} is not allowed` },
  }),
  rule('call', {
    name: 'operations',
    of: ({ operations }) => operations,
    missing: 'the operation is not recorded',
    judge({ policy: { operations = {} } }, facts: HeadFacts) {
      const names = facts.operations ?? ['unknown'];
      return isAllowed(operations, names) ? null : { reason: `the operation ${names[0]} is not allowed` };
    },
  }),
  rule('call', {
    name: 'hours',
    of: ({ hours }) => hours,
    judge: ({ policy: { hours }, isOpen }, { at }: HeadFacts) =>
      isOpen(at) ? null : { reason: `only ${hours?.allow} ${hours?.zone} is allowed` },
  }),
] as const;

/** Names what was not known, and what an operator can do about a member. */
function explainUnread(unread: string | null | undefined): string {
  if (!unread) return '';
  const remedy = unread.startsWith('the member') ? '; harmless_members of the provider may name it' : '';
  return `: ${unread} is not known${remedy}`;
}

/** How Bedrock is asked for a guardrail, in refusals. */
const tellWay =
  ': set guardrailConfig in Converse, X-Amzn-Bedrock-GuardrailIdentifier and -GuardrailVersion beside Invoke and chat completions';
/** So many guardrails are named in a refusal. */
const maxShown = 3;

const missingTools = 'not all tools are recorded, or they could not be read';

const toolRule = <Kind extends ToolKind>(kind: Kind) =>
  rule('tools', {
    name: `tools.${kind}` as const,
    of: ({ tools }) => tools?.[kind],
    missing: missingTools,
    judge({ policy: { tools: rules, unreadable } }, { tools, unread }: CallFacts) {
      if (tools === null)
        return unreadable === 'allow'
          ? null
          : { reason: `it cannot be read which tools it offers${explainUnread(unread)}`, isUnread: true };
      const denied = tools.filter((tool) => rules && !isAllowedTool(rules, kind, tool));
      return denied[0] ? { reason: `${describeTool(denied[0])} is not allowed`, denied } : null;
    },
  });

export const bodyRules = [
  rule('call', {
    name: 'models',
    of: ({ models }) => models,
    missing: 'which models the request named is not recorded, or could not be read',
    judge({ policy: { models: lists = {}, unreadable } }, { models, unread }: CallFacts) {
      const denied = models?.find((model) => !isAllowedModel(lists, model));
      if (denied !== undefined) {
        const why = hidesModel(denied)
          ? ', since its ARN hides which it is: "profiles" of PROVIDERS_FILE may tell'
          : '';
        return { reason: `the model ${denied} is not allowed${why}` };
      }
      if (models !== null || unreadable === 'allow') return null;
      return { reason: `it cannot be read which model would answer${explainUnread(unread)}`, isUnread: true };
    },
  }),
  toolRule('client'),
  toolRule('hosted'),
  toolRule('remote_mcp'),
  rule('call', {
    name: 'limits.max_output_tokens',
    of: ({ limits }) => limits?.max_output_tokens,
    missing: 'the bound of output is not recorded',
    judge({ policy: { limits } }, { output_tokens: asked }: CallFacts) {
      const most = limits?.max_output_tokens ?? Number.POSITIVE_INFINITY;
      if (asked !== null && asked <= most) return null;
      const why =
        asked === null ? 'no bound that is sure to be kept can be read, such as max_tokens' : `it asks for ${asked}`;
      return { reason: `at most ${most} tokens of output are allowed, ${why}` };
    },
  }),
  rule('call', {
    name: 'limits.max_input_bytes',
    of: ({ limits }) => limits?.max_input_bytes,
    missing: 'the size is not recorded',
    judge({ policy: { limits, unreadable } }, { input_bytes: bytes }: CallFacts) {
      const most = limits?.max_input_bytes ?? Number.POSITIVE_INFINITY;
      if (bytes === null ? unreadable === 'allow' : bytes <= most) return null;
      return { reason: `at most ${most} bytes of input are allowed`, ...(bytes === null && { isUnread: true }) };
    },
  }),
  rule('call', {
    name: 'limits.max_cost_usd',
    of: ({ limits }) => limits?.max_cost_usd,
    missing: 'the likely cost is not recorded, or could not be read',
    judge({ policy: { limits, unreadable } }, { nano_usd: nano }: CallFacts) {
      const most = limits?.max_cost_usd ?? Number.POSITIVE_INFINITY;
      if (nano === null)
        return unreadable === 'allow' ? null : { reason: 'it cannot be read what it may cost', isUnread: true };
      return nano <= most * 1e9 ? null : { reason: `it may cost ${nano / 1e9} USD, ${most} are allowed` };
    },
  }),
  rule('where', {
    name: 'where.geo',
    of: ({ where }) => where?.geo,
    missing: 'where it is processed is not recorded',
    judge({ policy: { where, unreadable } }, { geo, placed, unread }: CallFacts) {
      if (geo) {
        const isAllowed = where?.geo?.some((each) => each === geo);
        const by = placed === undefined ? '' : ` by ${placed}`;
        return isAllowed ? null : { reason: `it is processed in ${geo}${by}, allowed is ${where?.geo?.join(', ')}` };
      }
      if (unreadable === 'allow') return null;
      return {
        reason: `it is not sure where it is processed${placed ? ` (${placed})` : ''}${explainUnread(unread)}`,
        ...(geo !== null && { isUnread: true }),
      };
    },
  }),
  rule('where', {
    name: 'where.store',
    of: ({ where }) => where?.store,
    missing: 'whether the provider keeps it is not recorded',
    judge({ policy: { unreadable } }, { stores, unread }: CallFacts) {
      if (stores) return { reason: `the provider keeps its text, by ${stores}` };
      if (stores === false || unreadable === 'allow') return null;
      const why = explainUnread(unread) || ', as "store": false would';
      return {
        reason: `it does not say for sure that the provider keeps nothing${why}`,
        ...(stores !== null && { isUnread: true }),
      };
    },
  }),
  rule('where', {
    name: 'require.guardrail',
    of: ({ require }) => require?.guardrail,
    missing: 'which guardrail it asked for is not recorded',
    judge({ policy: { require, unreadable } }, { guardrail: asked, unread }: CallFacts) {
      const names = require?.guardrail ?? [];
      if (asked === true || (asked && names.some((name) => isGuardrail(name, asked)))) return null;
      const wanted = `one of ${names.slice(0, maxShown).join(', ')} is required${tellWay}`;
      if (asked) return { reason: `it asks for the guardrail ${asked}, ${wanted}` };
      if (asked === false) return { reason: `it asks for no guardrail of Bedrock, ${wanted}` };
      if (unreadable === 'allow') return null;
      return {
        reason: `it cannot be read which guardrail it asks for, ${wanted}${explainUnread(unread)}`,
        ...(asked !== null && { isUnread: true }),
      };
    },
  }),
  rule('pii', {
    name: 'pii.request',
    of: ({ pii }) => pii?.request,
    missing: 'not all of its texts were searched, or own patterns are not recorded',
    judge: ({ policy: { unreadable }, data }, facts: CallFacts) => judgeData(data.request, facts.data, unreadable),
  }),
  rule('check', {
    name: 'check.request',
    of: ({ check }) => check?.request || undefined,
    missing: 'what an external check would say is not recorded',
    judge: ({ policy }, { checks, data }: CallFacts) => judgeCheck(policy.name, checks, data, policy.unreadable),
  }),
] as const;

/** Judged when an answer has ended, or been held until it could be. */
export const answerRules = [
  rule('pii', {
    name: 'pii.response',
    of: ({ pii }) => pii?.response,
    missing: 'not all texts of the answer were searched, or own patterns are not recorded',
    judge: ({ policy: { unreadable }, data }, { answer }: AnswerFacts) =>
      judgeData(data.response, answer?.data, unreadable),
  }),
  rule('check', {
    name: 'check.response',
    of: ({ check }) => check?.response || undefined,
    missing: 'what an external check would say is not recorded',
    judge: ({ policy }, { answer }: AnswerFacts) =>
      judgeCheck(policy.name, answer?.checks, answer?.data, policy.unreadable),
  }),
] as const;

const rules = [...headRules, ...bodyRules, ...answerRules];

export type RuleName = (typeof rules)[number]['name'];

/** The rules that a policy has. */
export const listRules = (policy: Policy): RuleName[] =>
  rules.filter((each) => each.of(policy) !== undefined).map(({ name }) => name);

/** Whether an exception is from a rule. */
export const excepts = ({ rules: names }: Pick<PolicyException, 'rules'>, name: RuleName): boolean =>
  names === undefined || names.some((each) => name === each || name.startsWith(`${each}.`));

const byName = new Map<RuleName, { family: Family; missing?: string }>(rules.map((each) => [each.name, each]));

export const familyOf = (name: RuleName): Family => byName.get(name)?.family ?? 'call';

/** Whether a rule asks what texts hold, or what a check says of them. */
export const isOfTexts = (name: RuleName): boolean => ['pii', 'check'].includes(familyOf(name));

/** Why a record may not tell what a rule asks; undefined if each does. */
export const explainMissing = (name: RuleName): string | undefined => byName.get(name)?.missing;

/** What a policy allows and denies by name, by rule. */
export const listNamed = (policy: Policy): [RuleName, AllowOrDeny][] =>
  rules.flatMap(({ name, of }): [RuleName, AllowOrDeny][] => {
    const lists = of(policy) as AllowOrDeny | undefined;
    return Array.isArray(lists?.allow) || Array.isArray(lists?.deny) ? [[name, lists]] : [];
  });
