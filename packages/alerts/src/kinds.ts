import { countOf, formatCount, formatDuration } from '@agp/core/explain';
import { splitLabelOf } from '@agp/core/labels';
import { modelNamesSchema, nameSchema, selectorFields } from '@agp/documents/schema';
import { z } from 'zod';
import type {
  ChainFacts,
  ChangeFacts,
  CostFacts,
  FailingFacts,
  PiiFacts,
  PolicyFacts,
  RefusalFacts,
  SeenFacts,
  Shares,
  SurgeFacts,
  Told,
  UsedFacts,
} from './facts.ts';
import { join, tellUsed } from './tell-used.ts';

/** How soon somebody should look: words of PagerDuty and Alertmanager. */
export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** What chooses subjects of alerts, as in policies and budgets. */
export const matchFields = { ...selectorFields, models: modelNamesSchema.optional() };
export type MatchField = keyof typeof matchFields;

interface AlertKind<Params extends z.ZodRawShape, Facts> {
  /** What a rule of it tells, as a sentence without its end. */
  means: string;
  severity: Severity;
  /** What is known of its subjects. */
  matches: readonly MatchField[];
  params: Params;
  example: Facts;
  tell(facts: Facts): Told;
}

const kind = <const Params extends z.ZodRawShape, Facts>(row: AlertKind<Params, Facts>) => row;

const someOf = <const Name extends string>(names: readonly [Name, ...Name[]], means: string) =>
  z
    .array(z.enum(names))
    .min(1, 'must hold one')
    .max(names.length)
    .default([...names] as Name[])
    .meta({ description: means });

const minutes = z.int().min(5).max(1_440).default(60).meta({ description: 'How far back is counted' });
const atLeast = (fallback: number) =>
  z.int().min(1).max(1_000_000).default(fallback).meta({ description: 'So many in that time' });
const percents = z
  .array(z.number().positive().max(1_000))
  .min(1, 'must hold one')
  .max(10)
  .default([80, 100])
  .meta({ description: 'Percent of the amount, an alert for each' });
const names = (what: string) =>
  z
    .array(nameSchema)
    .min(1, 'must hold a name')
    .max(100)
    .optional()
    .meta({ description: `${what}; all if absent` });

const inTime = (of: { minutes: number }) => `in ${formatDuration(of.minutes * 60_000)}`;
const shareOf = (part: number) => `${(part * 100).toFixed(part > 0 && part < 0.1 ? 1 : 0)} %`;

const whose = ({ agents, most: [first] }: Shares) => (agents === 1 && first ? first.name : countOf(agents, 'agent'));
/** Nothing if all is of one. */
const mostOf = ({ agents, most }: Shares) =>
  agents > 1 && `most of ${most.map(({ name, count }) => `${name} (${formatCount(count)})`).join(', ')}`;

const nightly: Shares = { count: 131, agents: 1, most: [{ name: 'nightly', count: 131 }] };

const used: UsedFacts = {
  ...{ name: 'sales-monthly', whose: null, percent: 80, used: '400.00 USD', amount: '500.00 USD' },
  ...{ until: '2026-12-01 00:00 UTC', expected: null },
};

const agents = ['agents', 'labels', 'tags'] as const;

/**
 * What rules can tell of. A row has what such a rule asks beside its scope, and the words of its alerts; management finds the causes.
 */
export const kinds = {
  failing: kind({
    means:
      'an agent, model or provider fails more than it used to: a fifth of its requests, 10 at least and more than by chance',
    severity: 'critical',
    matches: [...agents, 'models', 'providers'],
    params: { of: someOf(['agent', 'model', 'provider'], 'What may fail') },
    example: {
      ...{ ...nightly, what: 'agent', name: 'nightly', failed: 306, requests: 306, before: 0.004, mostly: '401' },
    } as FailingFacts,
    tell: ({ what, name, failed, requests, before, mostly, ...of }) => ({
      title: `${what} ${name} fails: ${failed === requests ? 'all ' : `${formatCount(failed)} of `}${countOf(requests, 'request')}`,
      detail: join(
        `${shareOf(failed / requests)}, ${before === null ? 'no requests the week before' : `${shareOf(before)} the week before`}`,
        mostly && `mostly ${mostly}`,
        what !== 'agent' && mostOf(of),
      ),
    }),
  }),
  budget: kind({
    means: 'a budget is used so far, or will be passed if it goes on',
    severity: 'warning',
    matches: [],
    params: {
      budgets: names('Budgets by name'),
      at_percent: percents,
      projected: z
        .boolean()
        .default(true)
        .meta({ description: 'Also once a tenth of a day, week or month is over and all of it would pass the amount' }),
    },
    example: used,
    tell: (facts) => tellUsed('budget', facts),
  }),
  cap: kind({
    means: 'a daily cap is used so far, of an agent or of all together; critical once it refuses all agents',
    severity: 'warning',
    matches: agents,
    params: { at_percent: percents },
    example: { ...used, name: 'of nightly', amount: '5.00 USD', used: '4.00 USD' },
    tell: (facts) => tellUsed('daily cap', facts),
  }),
  change: kind({
    means: 'somebody changed something that holds for agents; a block or a pause is open until it ends',
    severity: 'info',
    matches: agents,
    params: {
      of: someOf(
        ['block', 'unblock', 'retire', 'pause', 'resume', 'cap', 'policy', 'budget', 'key'],
        'Changes; with a scope, those of its agents',
      ),
    },
    example: { title: 'key ops-1 blocked agent nightly', reason: 'loops since 3:00', change: '' } as ChangeFacts,
    tell: ({ title, reason, change }) => ({ title, detail: join(reason, change) }),
  }),
  policy: kind({
    means: 'a policy refused, changed or ended requests, or would have',
    severity: 'warning',
    matches: agents,
    params: {
      policies: names('Policies by name'),
      actions: someOf(['refuse', 'cut', 'redact', 'flag', 'strip', 'lower', 'warn', 'observe'], 'What they did'),
      at_least: atLeast(1),
      minutes,
    },
    example: {
      ...{ ...nightly, policy: 'no-shell', action: 'refuse', rules: ['tools'], minutes: 60 },
    } as PolicyFacts,
    tell: ({ policy, action, rules, ...of }) => ({
      title: `policy ${policy}: ${policyWords[action] ?? action} ${countOf(of.count, 'request')} of ${whose(of)} ${inTime(of)}`,
      detail: join(`rule ${rules.join(', ')}`, mostOf(of)),
    }),
  }),
  pii: kind({
    means: 'personal data or secrets in what agents send or get',
    severity: 'warning',
    matches: [...agents, 'providers', 'models'],
    params: {
      types: z
        .array(z.string().max(64))
        .min(1, 'must hold one')
        .max(64)
        .optional()
        .meta({ description: 'Kinds such as email; all if absent' }),
      at_least: atLeast(1),
      minutes,
    },
    example: { ...nightly, type: 'email', tags: ['gdpr'], minutes: 60 } as PiiFacts,
    tell: ({ type, tags, ...of }) => ({
      title: `${type} in ${countOf(of.count, 'event')} of ${whose(of)} ${inTime(of)}`,
      detail: join(`tag ${tags.join(', ')}`, mostOf(of)),
    }),
  }),
  first_seen: kind({
    means: 'an agent, model, provider, tool or MCP server that was never seen before',
    severity: 'info',
    matches: [...agents],
    params: {
      of: someOf(['agent', 'model', 'provider', 'tool', 'remote_mcp'], 'What may be new'),
    },
    example: { what: 'remote_mcp', name: 'mcp.example.com', agent: 'nightly' } as SeenFacts,
    tell: ({ what, name, agent }) => ({
      title:
        what === 'full'
          ? `no room for more names of ${seenWords[name] ?? name}s: what is new from now on is not told`
          : `first ${what === 'agent' ? 'request' : 'use'} of ${seenWords[what] ?? what} ${name}`,
      detail: agent === null ? '' : `by agent ${agent}`,
    }),
  }),
  cost: kind({
    means: 'what calls cost is not known: a model has no price, or a bill is in doubt',
    severity: 'warning',
    matches: [...agents, 'models', 'providers'],
    params: {
      of: someOf(['unpriced', 'doubtful'], 'Why'),
      days: z.int().min(1).max(30).default(3).meta({ description: 'How far back is looked' }),
    },
    example: { what: 'unpriced', name: 'gpt-9 at openai', count: 40, models: 1 } as CostFacts,
    tell: ({ what, name, count, models }) =>
      what === 'unpriced'
        ? {
            title: models === 1 ? `${name} has no price` : `${name} and ${formatCount(models - 1)} more have no price`,
            detail: `${countOf(count, 'request')} in all; a price goes into PRICES_FILE`,
          }
        : {
            title: `${countOf(count, 'bill')} of ${name} in doubt`,
            detail: 'counted by the bound, not by what was told',
          },
  }),
  refusals: kind({
    means: 'more requests are refused than used to be, of an agent or for a reason',
    severity: 'warning',
    matches: agents,
    params: {
      at_least: atLeast(50),
      minutes,
      times: z.number().min(1).max(1_000).default(3).meta({
        description: 'So many times those of an hour of the week before',
      }),
    },
    example: { ...nightly, reason: 'budget_exceeded', minutes: 60 } as RefusalFacts,
    tell: ({ reason, ...of }) => ({
      title: `${countOf(of.count, 'request')} of ${whose(of)} refused ${inTime(of)}`,
      detail: join(`mostly ${reason}`, mostOf(of)),
    }),
  }),
  surge: kind({
    means:
      'an agent or a team asks or spends in minutes several times what it did in its busiest hour of the week before',
    severity: 'warning',
    matches: agents,
    params: {
      of: someOf(['requests', 'usd'], 'What is compared'),
      by: z
        .string()
        .refine((by) => by === 'agent' || splitLabelOf(by) !== null, 'must be agent or label:NAME')
        .default('agent')
        .meta({ description: '`agent`, or all agents with the same value of a label together, such as `label:team`' }),
      minutes: z.int().min(5).max(60).default(10).meta({ description: 'How far back is counted' }),
      times: z.number().min(1).max(1_000).default(5).meta({ description: 'So many times the busiest hour' }),
      at_least: z.int().min(1).max(1_000_000).default(100).meta({
        description: 'So many requests in that time; ten times as many of an agent that did nothing the week before',
      }),
      at_least_usd: z.number().positive().max(1_000_000).default(5).meta({ description: 'The same in USD' }),
    },
    example: { agent: 'nightly', what: 'requests', count: '300', before: '11', minutes: 10 } as SurgeFacts,
    tell: ({ agent, label = 'agent', what, count, before, agents, ...of }) => ({
      title: `${label} ${agent} ${what === 'usd' ? `spends far more than usual: ${count}` : `asks far more than usual: ${count} requests`} ${inTime(of)}`,
      detail: join(
        before === null ? 'nothing in the week before' : `at most ${before} in an hour of the week before`,
        agents && `most of ${agents.join(', ')}`,
      ),
    }),
  }),
  recording: kind({
    means: 'events are recorded late, set aside or lost',
    severity: 'critical',
    matches: [],
    params: {},
    example: { title: 'events are recorded 75 s late', detail: 'does a writer run?' } as Told,
    tell: (facts) => facts,
  }),
  chain: kind({
    means: 'a chain does not verify: the audit log at each hour, sessions in turn',
    severity: 'critical',
    matches: [],
    params: {},
    example: { chain: 'the audit log', at: 1_200 } as ChainFacts,
    tell: ({ chain, at }) => ({
      title: `the chain of ${chain} does not verify`,
      detail: `from link ${formatCount(at)} on: somebody changed the records`,
    }),
  }),
};

const policyWords: Record<string, string> = {
  ...{ refuse: 'refused', cut: 'ended', strip: 'took tools from', lower: 'lowered', warn: 'warned of' },
  ...{ observe: 'would refuse', redact: 'redacted texts of', flag: 'flagged texts of' },
};
const seenWords: Record<string, string> = { remote_mcp: 'MCP server' };

export type KindName = keyof typeof kinds;
export type FactsOf<Name extends KindName> = (typeof kinds)[Name]['example'];

/** The words of an alert. @param facts of that kind */
export const tell = (name: KindName, facts: FactsOf<KindName>): Told =>
  (kinds[name].tell as (facts: unknown) => Told)(facts);
