import type { EventTool } from '@agp/core/events';
import { isWithin, openClock, parseHours } from './hours.ts';
import { matchesName, matchesTool } from './names.ts';
import type { Policy, Selector } from './schema.ts';

/** Whose call it is, and what its head says. */
export interface CallHead {
  agent: string;
  /** String members of the agent's metadata. */
  labels: Readonly<Record<string, string>>;
  tag: string;
  provider: string;
  /** All names of the operation, its own first; null for a path that is not known. */
  operations: readonly string[] | null;
  /** Milliseconds since 1970 UTC. */
  at: number;
}

/** What a request is, as far as rules ask; nothing of what it says. */
export interface CallFacts extends CallHead {
  /** All that it names, each of which may answer; null if it may be answered by one that cannot be read. */
  models: readonly string[] | null;
  /** What it offers its model; null if that cannot be read. */
  tools: readonly EventTool[] | null;
  /** The most of one answer, in tokens; null without a bound, 0 if none is written. */
  outputTokens: number | null;
  /** Null if it is not known yet. */
  inputBytes: number | null;
  /** What it is likely to cost, in nano-dollars. */
  nanoUsd: number;
}

/** A request, and what its answer has shown so far. */
export interface AnswerFacts extends CallFacts {
  /** That answered, as the answer itself says. */
  model: string | null;
  called: readonly EventTool[];
}

export type RuleName =
  // Of a request's head: decided before its body is read.
  | 'providers'
  | 'operations'
  | 'hours'
  // Of its body.
  | 'models'
  | 'tools.client'
  | 'tools.hosted'
  | 'tools.remote_mcp'
  | 'limits.max_output_tokens'
  | 'limits.max_input_bytes'
  | 'limits.max_cost_usd';

/** A rule that does not let a call pass, and why, in words for its agent. */
export interface Finding {
  policy: Policy;
  /** The policy's own. */
  version: number;
  rule: RuleName;
  reason: string;
  /** Tools that it denies, if it is a rule of tools. */
  denied?: readonly EventTool[];
  /** It is a doubt: what the rule asks cannot be read. */
  isUnread?: true;
}

interface Prepared {
  version: number;
  policy: Policy;
  endsAt: number;
  isOpen: (at: number) => boolean;
}

/** All policies of an installation at one version, made ready once. */
export interface RuleSet {
  version: number;
  policies: readonly Prepared[];
}

export function prepareRules(version: number, policies: readonly { version: number; policy: Policy }[]): RuleSet {
  return { version, policies: policies.map((each) => prepare(each.policy, each.version)) };
}

function prepare(policy: Policy, version: number): Prepared {
  const { hours, until } = policy;
  const spans = hours === undefined ? null : (parseHours(hours.allow) ?? []);
  const clock = hours === undefined ? null : openClock(hours.zone);
  return {
    version,
    policy,
    endsAt: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
    isOpen: (at) => spans === null || clock === null || isWithin(spans, clock(new Date(at))),
  };
}

const judge = <Facts extends CallHead>(
  { policies }: RuleSet,
  facts: Facts,
  listFaults: (prepared: Prepared, facts: Facts) => Iterable<Fault>,
): Finding[] =>
  policies
    .filter((prepared) => applies(prepared, facts))
    .flatMap((prepared) =>
      [...listFaults(prepared, facts)].map((fault) => ({
        policy: prepared.policy,
        version: prepared.version,
        ...fault,
      })),
    );

/** What all policies that match say of a request's head; none lets it pass. */
export const judgeHead = (rules: RuleSet, head: CallHead): Finding[] => judge(rules, head, listHeadFaults);

/** What they say of all of it but its head. */
export const judgeBody = (rules: RuleSet, facts: CallFacts): Finding[] => judge(rules, facts, listBodyFaults);

/** What they say of an answer. */
export const judgeAnswer = (rules: RuleSet, facts: AnswerFacts): Finding[] => judge(rules, facts, listAnswerFaults);

/** Whether a policy holds for a call, at its time. */
export function applies({ policy: { match }, endsAt }: RuleSet['policies'][number], facts: CallHead): boolean {
  const { not, ...selector } = match;
  return facts.at < endsAt && selects(selector, facts) && (not === undefined || !selects(not, facts));
}

function selects({ agents, labels, tags, providers }: Selector, facts: CallHead): boolean {
  const isOne = (patterns: readonly string[] | undefined, name: string) =>
    patterns === undefined || patterns.some((pattern) => matchesName(pattern, name));
  return (
    isOne(agents, facts.agent) &&
    isOne(tags, facts.tag) &&
    isOne(providers, facts.provider) &&
    Object.entries(labels ?? {}).every(
      ([label, values]) => Object.hasOwn(facts.labels, label) && isOne(values, facts.labels[label] as string),
    )
  );
}

type Fault = Omit<Finding, 'policy' | 'version'>;

function* listHeadFaults({ policy, isOpen }: Prepared, facts: CallHead): Generator<Fault> {
  const { providers, operations, hours } = policy;
  if (providers && !isAllowed(providers, [facts.provider]))
    yield { rule: 'providers', reason: `the provider ${facts.provider} is not allowed` };
  const names = facts.operations ?? ['unknown'];
  if (operations && !isAllowed(operations, names))
    yield { rule: 'operations', reason: `the operation ${names[0]} is not allowed` };
  if (hours && !isOpen(facts.at)) yield { rule: 'hours', reason: `only ${hours.allow} ${hours.zone} is allowed` };
}

const noLimits: Partial<NonNullable<Policy['limits']>> = {};

function* listBodyFaults({ policy }: Prepared, facts: CallFacts): Generator<Fault> {
  const { models, tools, limits } = policy;
  const passesUnread = policy.unreadable === 'allow';
  if (models) {
    const denied = facts.models?.find((model) => !isAllowed(models, [model]));
    if (denied !== undefined) yield { rule: 'models', reason: `the model ${denied} is not allowed` };
    else if (facts.models === null && !passesUnread)
      yield { rule: 'models', reason: 'it cannot be read which model would answer', isUnread: true };
  }
  if (tools) yield* listToolFaults(tools, facts.tools, passesUnread);
  const { max_output_tokens: maxOutput, max_input_bytes: maxInput, max_cost_usd: maxCost } = limits ?? noLimits;
  if (maxOutput !== undefined && (facts.outputTokens ?? Number.POSITIVE_INFINITY) > maxOutput) {
    const asked = facts.outputTokens === null ? 'no bound on its output is set' : `it asks for ${facts.outputTokens}`;
    yield { rule: 'limits.max_output_tokens', reason: `at most ${maxOutput} tokens of output are allowed, ${asked}` };
  }
  if (maxInput !== undefined && (facts.inputBytes === null ? !passesUnread : facts.inputBytes > maxInput)) {
    const reason = `at most ${maxInput} bytes of input are allowed`;
    yield { rule: 'limits.max_input_bytes', reason, ...(facts.inputBytes === null && { isUnread: true }) };
  }
  if (maxCost !== undefined && facts.nanoUsd > maxCost * 1e9)
    yield { rule: 'limits.max_cost_usd', reason: `it may cost ${facts.nanoUsd / 1e9} USD, ${maxCost} are allowed` };
}

type ToolRules = NonNullable<Policy['tools']>;
const toolRules = ['client', 'hosted', 'remote_mcp'] as const;

function* listToolFaults(rules: ToolRules, tools: CallFacts['tools'], passesUnread: boolean): Generator<Fault> {
  for (const kind of toolRules) {
    if (rules[kind] === undefined) continue;
    const rule = `tools.${kind}` as const;
    if (tools === null) {
      if (!passesUnread) yield { rule, reason: 'it cannot be read which tools it offers', isUnread: true };
      continue;
    }
    const denied = tools.filter((tool) => !isAllowedTool(rules, kind, tool));
    if (denied[0]) yield { rule, reason: `${describeTool(denied[0])} is not allowed`, denied };
  }
}

function* listAnswerFaults(
  { policy }: Prepared,
  { model, models: asked, tools: declared, called }: AnswerFacts,
): Generator<Fault> {
  const { models, tools } = policy;
  if (models && model !== null && !mayAnswer(models, model, asked ?? []))
    yield { rule: 'models', reason: `the model ${model}, which answered, is not allowed` };
  for (const kind of ['client', 'hosted'] as const) {
    const denied =
      tools && called.filter((tool) => !nameAll(tool, declared).every((each) => isAllowedTool(tools, kind, each)));
    if (denied?.[0])
      yield { rule: `tools.${kind}`, reason: `${describeTool(denied[0])}, which was called, is not allowed`, denied };
  }
}

/** A version of what was asked for is that, unless it is denied by its own name. */
function mayAnswer({ allow, deny }: AllowOrDeny, model: string, asked: readonly string[]): boolean {
  if (!isAllowed({ deny }, [model])) return false;
  return isAllowed({ allow }, [model]) || asked.some((name) => isVersionOf(model, name));
}

const version = /^[-:_.](?:v\d+[-.])?\d{3}[\d.:_-]*$/;

/** Providers answer with the dated name of what was asked for, and name it without its folder. */
function isVersionOf(answered: string, asked: string): boolean {
  const plain = (name: string) => name.toLowerCase().replace(/^.*\//, '').replaceAll('@', '-');
  const [long, short] = [plain(answered), plain(asked).replace(/-latest$/, '')];
  return long === short || (long.startsWith(short) && version.test(long.slice(short.length)));
}

/** A called tool as itself, or as each declared one that it may be, by the names of both. */
function nameAll(called: EventTool, declared: readonly EventTool[] | null): EventTool[] {
  const same = (declared ?? []).filter((tool) =>
    tool.names.some((name) => called.names.some((own) => isSameTool(own, name, tool))),
  );
  if (same.length === 0) return [called];
  return same.map(({ kind, names }) => ({ kind, names: [...new Set([...called.names, ...names])] }));
}

/** A hosted tool is called by a name that is part of its type (`web_search`), or the other way round. */
function isSameTool(called: string, declared: string, { kind }: EventTool): boolean {
  const [one, other] = [called.toLowerCase(), declared.toLowerCase()];
  if (one === other) return true;
  return kind === 'hosted' && (other.startsWith(`${one}_`) || one.startsWith(`${other}_`) || one.endsWith(`_${other}`));
}

const toolWords: Record<EventTool['kind'], string> = {
  client: 'tool',
  hosted: 'hosted tool',
  remote_mcp: 'MCP server',
  connector: 'connector',
  tunnel: 'tunnel',
};

const describeTool = ({ kind, names }: EventTool) => `the ${toolWords[kind]} ${names[0]}`;

/** Tools of another kind than the rule's are allowed. */
function isAllowedTool(rules: ToolRules, kind: (typeof toolRules)[number], { kind: own, names }: EventTool): boolean {
  const isOf = (patterns: readonly string[]) => names.some((name) => patterns.some((each) => matchesTool(each, name)));
  if (kind === 'remote_mcp') {
    const { hosts = [], connectors = [], tunnels = [] } = rules.remote_mcp ?? {};
    const allowed = { remote_mcp: hosts, connector: connectors, tunnel: tunnels };
    return own === 'client' || own === 'hosted' || isOf(allowed[own]);
  }
  const { allow, deny } = rules[kind] ?? {};
  return own !== kind || (!(deny && isOf(deny)) && (allow === undefined || isOf(allow)));
}

type AllowOrDeny = { allow?: string[] | undefined; deny?: string[] | undefined };

/** @param names each of which it may be known by */
function isAllowed({ allow, deny }: AllowOrDeny, names: readonly string[]): boolean {
  const isOf = (patterns: readonly string[]) =>
    names.some((name) => patterns.some((pattern) => matchesName(pattern, name)));
  return !(deny && isOf(deny)) && (allow === undefined || isOf(allow));
}

/** Whether a rule asks which models and tools a request names. */
export const asksNames = ({ policies }: RuleSet): boolean =>
  policies.some(({ policy }) => policy.models !== undefined || policy.tools !== undefined);
