import type { ExplainedBudget, StoredBudget } from '@agp/budgets';
import type {
  AgentOverview,
  BudgetList,
  CostUsage,
  CostUsageEntry,
  EventDetail,
  ListedAuditEntry,
  Session,
  SessionEvent,
} from '@agp/core/contracts';
import {
  describeOutcome,
  formatCount,
  formatDuration,
  formatEstimate,
  formatShare,
  formatUsd,
  statusBeside,
} from '@agp/core/explain';
import { sumUsd } from '@agp/core/money';
import type { AgentTool, StoredPolicy } from '@agp/policy';
import { expect } from 'vitest';
import { compareUsd, formatAmount, formatShortCount, roundUsd } from '../../../packages/console/src/format/format.ts';
import { findBefore } from '../../../packages/console/src/screens/costs/usage-entries.ts';
import type { Shown } from './read-shown.ts';
import * as rows from './show-rows.ts';
import { agentLink, ago, capBarWithText, cost, money, named, shortId, time } from './show-values.ts';

/** An address of the console, and what it must show by what the API answers. */
export interface Screen {
  path: string;
  expected: (ask: <Answer>(path: string) => Promise<Answer>) => Promise<Partial<Shown>>;
}

/** What the demo's data leave no gap in. */
export type Whole<Answer> = { [Name in keyof Answer]-?: NonNullable<Answer[Name]> };

const dayMs = 86_400_000;
export const words = (code: string) => code.replaceAll('_', ' ');

export const begins = (...texts: string[]) =>
  expect.stringMatching(new RegExp(`^${texts.map((text) => RegExp.escape(text)).join('.*')}`)) as string;
export const listKinds = (found: { type: string; event_count: number }[]) =>
  found.map(({ type, event_count }) => `${words(type)} ${formatCount(event_count)}`).join(' ');

export const results = (sum: CostUsageEntry) => ({
  Requests: formatCount(sum.request_count),
  Errors: `${formatShare(sum.failed_count / sum.request_count)} {${formatCount(sum.failed_count)} of ${formatCount(sum.request_count)} failed or were answered with an error}`,
  p50: formatEstimate(sum.p50_ms),
  p95: formatEstimate(sum.p95_ms),
});

/** Those of the demo's data are all known. */
export const latencies = (sum: CostUsageEntry) =>
  `${formatEstimate(sum.p50_ms)} p95 ${formatEstimate(sum.p95_ms)} · first byte p50 ${formatEstimate(sum.first_byte_p50_ms)}, p95 ${formatEstimate(sum.first_byte_p95_ms)}`;

/** Tells how many calls of a sum had no price. */
async function findUnpriced(ask: Parameters<Screen['expected']>[0], from: string, member: 'provider' | 'agent_id') {
  const group = member === 'provider' ? 'provider' : 'agent';
  const { usage } = await ask<CostUsage>(`/api/v1/costs/usage?from=${from}&group_by=${group},model`);
  const lacking = usage.filter((row) => row.total_cost_usd === 0 && row.total_tokens > 0);
  return (sum: CostUsageEntry) =>
    lacking.reduce((count, row) => count + (row[member] === sum[member] ? row.request_count : 0), 0);
}

export const providersScreen: Screen = {
  path: '/providers?from=7d',
  expected: async (ask) => {
    const { usage } = await ask<CostUsage>('/api/v1/costs/usage?from=7d&group_by=provider&top=100');
    const unpriced = await findUnpriced(ask, '7d', 'provider');
    const shown = usage.map((row) => ({
      ...{ Provider: named(row.provider ?? ''), ...results(row) },
      Cost: cost(row.total_cost_usd, row.total_tokens, unpriced(row)),
      Tokens: formatShortCount(row.total_tokens),
    }));
    return {
      tables: { Providers: shown.map((row) => expect.objectContaining(row)), Models: expect.any(Array) as never },
    };
  },
};

export const oneScreen = (kind: 'provider' | 'model', name: string): Screen => ({
  path: `/providers?${kind}=${name}&from=7d`,
  expected: async (ask) => {
    const { usage } = await ask<CostUsage>(`/api/v1/costs/usage?from=7d&group_by=${kind}&top=100`);
    const sum = usage.find((row) => row[kind] === name) as CostUsageEntry;
    const shown = (value: number) => formatShortCount(value);
    const agents = await ask<CostUsage>(`/api/v1/costs/usage?from=7d&group_by=${kind},agent`);
    const asking = agents.usage
      .filter((row) => row[kind] === name)
      .toSorted((one, other) => other.failed_count - one.failed_count)
      .map((row) => expect.objectContaining({ Agent: agentLink({ ...row, agent_id: '' }), ...results(row) }));
    return {
      tables: { 'Its agents': expect.arrayContaining(asking) as never },
      figures: {
        Cost: money(sum.total_cost_usd),
        Requests: begins(`${shown(sum.request_count)} ${results(sum).Errors} failed`),
        'p50 (half took less)': latencies(sum),
        Tokens: `${shown(sum.total_tokens)} ${shown(sum.total_prompt_tokens)} in, ${shown(sum.total_completion_tokens)} out`,
      },
      pictures: [
        `By hour: cost ${roundUsd(sum.total_cost_usd)} in all`,
        `By hour: requests ${shown(sum.request_count)}, failed ${shown(sum.failed_count)} in all`,
        'Durations by hour',
        `By hour: in ${shown(sum.total_prompt_tokens)}, out ${shown(sum.total_completion_tokens)} in all`,
      ],
    };
  },
});

export const eventScreen = (id: string): Screen => ({
  path: `/events/${id}`,
  expected: async (ask) => {
    const detail = await ask<Whole<EventDetail>>(`/api/v1/events/${id}/detail`);
    return {
      fields: {
        Result: describeOutcome(detail).text,
        'Agent * {No hash covers this: the database alone vouches for it}': agentLink(detail),
        Session: shortId(detail.session_id),
        Time: time(detail.timestamp),
        Took: `${formatDuration(detail.duration_ms)}, first byte after ${formatDuration(detail.first_byte_ms)}`,
        Request: `${detail.method} ${detail.path}`,
        Status: String(statusBeside(detail)),
        From: detail.source_ip,
        Provider: detail.provider,
        Tokens: `${formatCount(detail.prompt_tokens)} in, ${formatCount(detail.completion_tokens)} out`,
        Cost: `${formatUsd(detail.cost_usd)} USD`,
        Prices: detail.price_version,
        'Compliance tag': detail.compliance_tag,
        'Personal data': words(detail.pii_types.join(', ')),
        'Tools offered': (detail.tools.declared ?? [])
          .map(({ kind, names }) => `${names[0]} {${kind}: ${names.join(', ')}}`)
          .join(' '),
        'Version of the rules': formatCount(detail.policy_version),
        'Place in the chain': String(detail.chain.seq),
        Hash: `${detail.lineage_hash} {${detail.lineage_hash}}`,
        'Computed here': `${detail.lineage_hash} {${detail.lineage_hash}}`,
      },
    };
  },
});

export const sessionScreen = (id: string): Screen => ({
  path: `/sessions/${id}`,
  expected: async (ask) => {
    const { session: sums, events } = await ask<{ session: Session; events: SessionEvent[] }>(
      `/api/v1/sessions/${id}?expand=outcome,names`,
    );
    return {
      figures: {
        Cost: `${money(sums.total_cost_usd)} ${formatShortCount(sums.total_tokens)} tokens`,
        Turns: `${formatCount(sums.event_count)} in ${formatDuration(sums.duration_ms)}`,
        'Personal data': sums.pii_detected ? 'found' : 'none found',
      },
      tables: { Turns: events.map(rows.showTurn) },
    };
  },
});

export const agentScreen = (id: string): Screen => ({
  path: `/agents/${id}`,
  expected: async (ask) => {
    const overview = await ask<Whole<AgentOverview>>(`/api/v1/agents/${id}/overview`);
    const { agent: own, budget, days } = overview;
    const tools = await ask<AgentTool[]>(`/api/v1/agents/${id}/tools`);
    expect(tools.length).toBeGreaterThan(0);
    const spent = sumUsd(days.map((day) => day.total_cost_usd));
    const usage = async (query: string) =>
      (await ask<CostUsage>(`/api/v1/costs/usage?agent_id=${id}&${query}`)).usage as [CostUsageEntry];
    const [sum] = await usage('from=24h');
    const month = new Date(Date.now() - 29 * dayMs).toISOString().slice(0, 10);
    const held = await ask<ExplainedBudget[]>(`/api/v1/budgets/explain?agent_id=${id}`);
    const limit = own.requests_per_minute as number | null;
    return {
      figures: {
        'Spent today (UTC)': begins(`${money(budget.spent_usd)} ${capBarWithText(budget)}`),
        'Requests, last 24 h': `${formatShortCount(sum.request_count)} ${results(sum).Errors} failed`,
        'p50 (half took less)': latencies(sum),
        'Tokens, last 24 h': begins(formatShortCount(sum.total_tokens)),
        'Requests today (UTC)': formatCount(own.requests_today),
        Limit: begins(limit === null ? 'none' : `${formatCount(limit)} a minute`),
        'Last seen': `${ago(own.last_seen_at)} from ${own.source_ip}; first ${time(own.created_at)}`,
      },
      tables: {
        'Models, last 30 days': (await usage(`from=${month}&group_by=model`)).map((row) => ({
          ...{ Model: named(row.model ?? ''), ...results(row) },
          ...{ Tokens: formatShortCount(row.total_tokens), Cost: cost(row.total_cost_usd, row.total_tokens) },
        })),
        Tools: tools.map(rows.showTool),
      },
      cards: {
        'Personal data, last 30 days': listKinds(overview.findings),
        // Alike requests after each other are one entry, from the last one's time to the first one's.
        Timeline: begins(
          ...overview.changes.map(({ timestamp }) => time(timestamp)),
          ...overview.events.slice(0, 1).map(({ timestamp }) => time(timestamp)),
          time(overview.events.at(-1)?.timestamp ?? ''),
        ),
        'Budgets that count it': begins(`${held[0]?.name} ${formatAmount(held[0]?.use.left ?? 0, 'usd')} left of $`),
        'Policies that hold for it': 'contracts warn at most 4,000 tokens out (for tag legal)',
      },
      pictures: [
        ...Array.from({ length: 4 }, () => expect.stringMatching(/by hour/i) as string),
        `Cost by day: ${roundUsd(spent)} in ${days.length} days. The table has the figures.`,
      ],
    };
  },
});

export const costsScreen = (by: 'model' | 'agent', head: string): Screen => ({
  path: `/costs?by=${by}`,
  expected: async (ask) => {
    const from = new Date(Date.now() - 6 * dayMs).toISOString().slice(0, 10);
    const read = async (groups: string) =>
      (await ask<CostUsage>(`/api/v1/costs/usage?from=${from}${groups && `&group_by=${groups}`}`)).usage;
    const [all] = (await read('')) as [CostUsageEntry];
    const sums = (await read(by)).toSorted((a, b) => b.total_cost_usd - a.total_cost_usd);
    const unpriced = by === 'agent' ? await findUnpriced(ask, from, 'agent_id') : () => 0;
    const days = await read('day');
    expect(days.length).toBe(7);
    const before = new URLSearchParams(findBefore({ from })?.range);
    const [was] = (await ask<CostUsage>(`/api/v1/costs/usage?${before}`)).usage as [CostUsageEntry];
    return {
      figures: {
        Cost: `${money(all.total_cost_usd)} ${compareUsd(all.total_cost_usd, was.total_cost_usd)} the 7 days before`,
        Errors: `${results(all).Errors} ${formatCount(all.failed_count)} failed`,
        'p50 (half took less)': latencies(all),
        Requests: `${formatShortCount(all.request_count)} ${money(all.total_cost_usd / all.request_count)} each`,
        Tokens: formatShortCount(all.total_tokens),
      },
      tables: {
        Costs: sums.map((sum) => ({
          [head]: by === 'agent' ? agentLink({ ...sum, agent_id: sum.agent_id ?? '' }) : (sum.model ?? ''),
          Cost: cost(sum.total_cost_usd, sum.total_tokens, unpriced(sum)),
          Share: formatShare(sum.total_cost_usd / all.total_cost_usd),
          ...results(sum),
          'Tokens in': formatShortCount(sum.total_prompt_tokens),
          'Tokens out': formatShortCount(sum.total_completion_tokens),
        })),
      },
      pictures: [`Cost by day: ${roundUsd(all.total_cost_usd)} in 7 days. The table has the figures.`],
    };
  },
});

/** Its history is of the audit log: who, when, why, and lines that were added or taken away. */
export const policyScreen = (id: string): Screen => ({
  path: `/policies/${id}`,
  expected: async (ask) => {
    const entries = await ask<ListedAuditEntry[]>(`/api/v1/audit?policy_id=${id}`);
    const { policy } = await ask<StoredPolicy>(`/api/v1/policies/${id}`);
    expect(entries.map(({ action }) => action)).toEqual(['policy.update', 'policy.create']);
    const [update, create] = entries.map(({ timestamp, actor }) => [
      time(timestamp),
      `by ${'name' in actor ? actor.name : ''}`,
    ]) as [string[], string[]];
    return {
      cards: {
        'In YAML': expect.stringContaining(`name: ${policy.name}`) as string,
        History: begins(...update, '-mode: observe', '+mode: enforce', ...create, `+name: ${policy.name}`),
      },
    };
  },
});

const partOf = ({ budget, uses: [most] }: StoredBudget) => (most?.used ?? 0) / budget.amount;

export const budgetsScreen: Screen = {
  path: '/budgets?all=true',
  expected: async (ask) => {
    const { global, default_agent_cap_usd: cap, agents } = await ask<BudgetList>('/api/v1/budgets?order=use');
    const named = await ask<StoredBudget[]>('/api/v1/budgets/list');
    const fullest = named.toSorted((one, other) => partOf(other) - partOf(one));
    expect(fullest.length).toBeGreaterThan(1);
    return {
      tables: { Budgets: fullest.map(rows.showNamedBudget), 'Budgets of agents': agents.map(rows.showBudget) },
      cards: {
        'All agents together': begins(`${money(global.spent_usd)} spent today ${capBarWithText(global)}`),
        'New agents': begins(cap === null ? 'No cap' : `${roundUsd(cap)} a day`),
      },
    };
  },
};
