import type { Asked } from '@agp/core/events';
import { startsBatch } from '@agp/core/operations';
import type { Preview } from './contract.ts';
import { findContradictions } from './contradictions.ts';
import { countRecorded, mayHold } from './data-rules.ts';
import {
  applies,
  ends,
  type Finding,
  judgeAnswer,
  judgeBodyInSteps,
  judgeHead,
  makeFinder,
  type RuleSet,
} from './decide.ts';
import type { CallFacts, RecordedCall } from './facts.ts';
import { SeenNames } from './policy-names.ts';
import { explainMissing, familyOf, listRules, type Prepared, prepare, type RuleName } from './rules.ts';
import type { Policy } from './schema.ts';

const maxExamples = 10;
const maxShares = 20;

/** What policies, each as if it were enforced, would have done to recorded requests, told one by one. */
export class Replay {
  readonly #policies: readonly Policy[];
  readonly #rules: RuleSet;
  readonly #matched = new Set<string>();
  readonly #found = new Set<string>();
  readonly #agents = new Set<string>();
  readonly #counts = {
    rule: new Counts(),
    agent: new Counts(),
    model: new Counts(),
    tool: new Counts(),
    hour: new Counts(),
    unread: new Counts(),
  };
  readonly #cannotTell = new Map<string, { requests: number; reason: string }>();
  readonly #examples: Preview['examples'] = [];
  readonly #exampled = new Set<string>();
  readonly #seen = new SeenNames();
  #requests = 0;
  #refused = 0;
  #excepted = 0;
  #flagged = 0;

  private constructor(policies: readonly Policy[], rules: RuleSet) {
    this.#policies = policies;
    this.#rules = rules;
  }

  /** A policy a step. @param now exceptions that have ended by then let nothing pass */
  static *of(policies: readonly Policy[], now: Date): Generator<undefined, Replay> {
    const prepared: Prepared[] = [];
    for (const { until: _, exceptions = [], ...policy } of policies) {
      const held = exceptions.filter(({ until }) => Date.parse(until) > now.getTime());
      prepared.push(prepare({ ...policy, exceptions: held, mode: 'enforce' }, 1));
      yield;
    }
    return new Replay(policies, { version: 1, policies: prepared });
  }

  /** A policy a step. */
  *add(call: RecordedCall): Generator<undefined, void> {
    this.#requests += 1;
    this.#seen.add(call);
    const facts = toFacts(call);
    for (const prepared of this.#rules.policies) if (applies(prepared, facts)) this.#matched.add(prepared.policy.name);
    const { certain: found, doubtful } = yield* judge(this.#rules, call, facts);
    for (const finding of found) this.#found.add(nameRule(finding));
    const held = found.filter(({ exception }) => exception === null);
    if (held.length < found.length) this.#excepted += 1;
    const certain = held.filter(({ remedy }) => remedy !== 'flag');
    if (certain.length < held.length) this.#flagged += 1;
    if (certain[0] === undefined) {
      this.#doubt(doubtful);
      return;
    }
    this.#refused += 1;
    this.#agents.add(call.agent_id);
    for (const name of new Set(certain.map(nameRule))) this.#counts.rule.add(name);
    this.#counts.agent.add(call.agent_name);
    this.#counts.model.add(call.model);
    this.#counts.hour.add(`${call.timestamp.slice(0, 13)}:00:00.000Z`);
    if (facts.unread && certain.some(({ isUnread }) => isUnread)) this.#counts.unread.add(facts.unread);
    const tools = certain.flatMap(({ denied = [] }) => denied.map(({ names }) => names[0] as string));
    for (const tool of new Set(tools)) this.#counts.tool.add(tool);
    const { event_id, session_id, agent_id, agent_name, timestamp, model } = call;
    for (const { policy, rule, reason } of new Map(certain.toReversed().map((each) => [nameRule(each), each])).values())
      this.#show({ event_id, session_id, agent_id, agent_name, timestamp, model, policy: policy.name, rule, reason });
  }

  /** Keeps the latest, so that each rule, and then each agent, has one as far as there is room. */
  #show(example: Preview['examples'][number]): void {
    const ofRule = ({ policy, rule }: typeof example) => `rule ${policy} ${rule}`;
    const ofAgent = ({ agent_id }: typeof example) => agent_id;
    const isNew = (key: string) => !this.#exampled.has(key) && this.#exampled.add(key);
    const [isNewRule, isNewAgent] = [isNew(ofRule(example)), isNew(ofAgent(example))];
    const shown = this.#examples;
    if (shown.length < maxExamples) shown.push(example);
    else if (isNewRule || isNewAgent) {
      const isOften = (toKey: typeof ofRule, each: typeof example) =>
        shown.filter((other) => toKey(other) === toKey(each)).length > 1;
      const at = shown.findLastIndex((each) => isOften(ofRule, each) && (isNewRule || isOften(ofAgent, each)));
      if (at >= 0) shown.splice(at, 1, example);
    }
  }

  #doubt(doubtful: readonly Finding[]): void {
    for (const [name, { rule }] of new Map(doubtful.map((finding) => [nameRule(finding), finding]))) {
      const known = this.#cannotTell.get(name) ?? { requests: 0, reason: explainMissing(rule) ?? 'it is not recorded' };
      known.requests += 1;
      this.#cannotTell.set(name, known);
    }
  }

  *end(): Generator<undefined, Omit<Preview, 'from' | 'to' | 'is_complete' | 'warnings'>> {
    const { rule, agent, model, tool, hour, unread } = this.#counts;
    return {
      requests: this.#requests,
      refused: this.#refused,
      excepted: this.#excepted,
      flagged: this.#flagged,
      agents: this.#agents.size,
      by: {
        ...{ rule: rule.most(maxShares), agent: agent.most(maxShares), model: model.most(maxShares) },
        ...{ tool: tool.most(maxShares), hour: hour.inOrder().slice(-maxHours), unread: unread.most(maxShares) },
      },
      examples: this.#examples,
      cannot_tell: [...this.#cannotTell].map(([name, doubt]) => ({ rule: name, ...doubt })),
      never: this.#policies.flatMap((policy): Preview['never'] => {
        if (!this.#matched.has(policy.name)) return [{ policy: policy.name, rule: null }];
        const silent = listRules(policy).filter((name) => !this.#found.has(`${policy.name} ${name}`));
        return silent.map((name) => ({ policy: policy.name, rule: name }));
      }),
      unseen: this.#requests === 0 ? [] : yield* this.#seen.listUnseen(this.#policies),
      contradictions: yield* findContradictions(this.#policies),
    };
  }
}

class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  inOrder(): { name: string; requests: number }[] {
    const all = [...this.#counts].map(([name, requests]) => ({ name, requests }));
    return all.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  most(max: number): { name: string; requests: number }[] {
    return this.inOrder()
      .sort((one, other) => other.requests - one.requests)
      .slice(0, max);
  }
}

const maxHours = 24 * 31;

const nameRule = ({ policy, rule }: Finding) => `${policy.name} ${rule}`;

const nothingAsked: Asked = { operations: null, models: null, output_tokens: null, input_bytes: null, nano_usd: 0 };

const toFacts = ({
  agent_name: agent,
  labels,
  timestamp,
  tag,
  provider,
  asked,
  tools,
  pii,
}: RecordedCall): CallFacts => ({
  ...{ agent, labels, tag, provider, at: Date.parse(timestamp) },
  ...(asked ?? nothingAsked),
  // Events of batches whose calls were not read have no cost.
  nano_usd: asked?.nano_usd === 0 && startsBatch(asked.operations?.[0] ?? '') ? null : (asked ?? nothingAsked).nano_usd,
  tools: tools === null ? [] : tools.declared,
  data: countRecorded(pii.findings, 'request'),
});

/** What the event of a call that ran no model says, such as of a list of models. */
const noModel = 'unknown';

/** Rules that are in doubt whatever else of the call was unread then. */
const isAsideRule = (rule: RuleName) => ['where', 'check'].includes(familyOf(rule));

/** Rules whose question an event does not answer are in doubt. */
function* judge(
  rules: RuleSet,
  call: RecordedCall,
  facts: CallFacts,
): Generator<undefined, { certain: Finding[]; doubtful: Finding[] }> {
  const { asked, tools, model, decision, pii } = call;
  const request = [...judgeHead(rules, facts), ...(yield* judgeBodyInSteps(rules, facts))];
  const answer = judgeAnswer(rules, {
    ...{ ...facts, model: model === noModel ? null : model, called: tools?.called ?? [] },
    answer: { data: countRecorded(pii.findings, 'response') },
  });
  const isDoubtful = ({ rule, isUnread }: Finding) =>
    // What was not known then, or so decided of, is refused now; what was not asked then is in doubt.
    (isUnread === true && (!asked?.unread || isAsideRule(rule)) && !decision?.some((each) => each.rule === rule)) ||
    (asked === null && (rule === 'operations' || rule === 'limits.max_output_tokens'));
  // Without what was asked for, a dated name may stand for one that is allowed.
  const isCertain = ({ rule }: Finding) => rule !== 'models' || asked?.models != null;
  const isEnding = (finding: Finding) => finding.remedy !== undefined || ends({ ...finding, exception: null });
  const found = [...request, ...answer.filter(isEnding).filter(isCertain)];
  const certain = found.filter((finding) => !isDoubtful(finding));
  const doubtful = [
    ...[...found.filter(isDoubtful), ...listUnlisted(rules, call, facts)],
    ...listUnsearched(rules, call, facts),
  ];
  return { certain, doubtful: doubtful.filter(({ exception }) => exception === null) };
}

/** What no search of then tells, such as of own patterns. */
const listUnsearched = (rules: RuleSet, { pii }: RecordedCall, facts: CallFacts): Finding[] =>
  rules.policies
    .filter((prepared) => applies(prepared, facts))
    .flatMap((prepared) =>
      (['request', 'response'] as const)
        .filter((direction) => mayHold(prepared.data[direction], pii))
        .map((direction) => makeFinder(prepared, facts)(`pii.${direction}`, { reason: '' })),
    );

/** Whether what was asked for tells it: no event lacks its provider and its time, and searches are recorded apart. */
const isOfAsked = (rule: RuleName) => explainMissing(rule) !== undefined && familyOf(rule) !== 'pii';

/** An event with very many tools lists the first alone, and older events list none. */
function listUnlisted(rules: RuleSet, { asked, tools }: RecordedCall, facts: CallFacts): Finding[] {
  const areListed = asked !== null && (tools === null || tools.more === 0);
  if (areListed) return [];
  return rules.policies
    .filter((prepared) => applies(prepared, facts))
    .flatMap((prepared) =>
      listRules(prepared.policy)
        .filter((rule) => familyOf(rule) === 'tools' || (asked === null && isOfAsked(rule)))
        .map((rule) => makeFinder(prepared, facts)(rule, { reason: '' })),
    );
}
