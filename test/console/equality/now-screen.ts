import type { Alert } from '@agp/alerts';
import type { CostUsage, CostUsageEntry, Status } from '@agp/core/contracts';
import { sumUsd } from '@agp/core/money';
import { expect } from 'vitest';
import { formatShortCount, roundUsd } from '../../../packages/console/src/format/format.ts';
import { begins, latencies, listKinds, results, type Screen, type Whole, words } from './screens-of-sums.ts';
import { agentLink, ago, capBarWithText, cost, money } from './show-values.ts';

export const nowScreen: Screen = {
  path: '/',
  expected: async (ask) => {
    const status = await ask<Whole<Status>>('/api/v1/status?from=24h');
    const { spend, requests, agents, services, pii } = status;
    const day = await ask<CostUsage>('/api/v1/costs/usage?from=24h');
    const [sum] = day.usage as [CostUsageEntry];
    const dearest = (await ask<CostUsage>('/api/v1/costs/usage?from=24h&group_by=agent&top=5')).usage;
    const left = (name: 'request_count' | 'failed_count' | 'total_cost_usd') =>
      sumUsd([sum[name], ...dearest.map((row) => -row[name])]);
    const rest = {
      ...sum,
      request_count: left('request_count'),
      failed_count: left('failed_count'),
      p50_ms: null,
      p95_ms: null,
    };
    const wrong = (await ask<Alert[]>('/api/v1/alerts?state=unresolved')).filter(({ severity }) => severity !== 'info');
    const other = requests.refused - requests.refused_by.slice(0, 3).reduce((total, { count }) => total + count, 0);
    return {
      figures: {
        Cost: begins(
          `${money(sum.total_cost_usd)} ${capBarWithText({ ...spend, reserved_usd: 0 }).replace(/ · (?=\S+%$)/, ' today (UTC) · ')}`,
        ),
        'p50 (half took less)': latencies(sum),
        Tokens: `${formatShortCount(sum.total_tokens)} ${formatShortCount(sum.total_prompt_tokens)} in, ${formatShortCount(sum.total_completion_tokens)} out`,
        Requests: `${formatShortCount(sum.request_count)} ${results(sum).Errors} failed: 500 ×${sum.failed_count}`,
        Refused: `${formatShortCount(requests.refused)} ${requests.refused_by
          .slice(0, 3)
          .map(({ reason, count }) => `${words(reason)} ${count}`)
          .join(' · ')}${other > 0 ? ` and ${other} other${other > 1 ? 's' : ''}` : ''}`,
        Agents: `${agents.active} active ${agents.blocked} blocked ${agents.retired} retired`,
        'Personal data': listKinds(pii),
      },
      tables: {
        'Dearest agents': [
          ...dearest.map((row) => ({
            ...{
              Agent: agentLink({ ...row, agent_id: row.agent_id ?? '' }),
              Cost: cost(row.total_cost_usd, row.total_tokens),
            },
            ...results(row),
          })),
          ...(rest.request_count > 0
            ? [{ Agent: 'all others', Cost: cost(left('total_cost_usd'), sum.total_tokens), ...results(rest) }]
            : []),
        ],
        'Latest blocked agents': agents.latest_blocked.map((row) => ({
          ...{ Agent: agentLink(row), Changed: ago(row.updated_at) },
        })),
      },
      cards: {
        ...(wrong.length > 0 && {
          [`To look at: ${wrong.length}`]: expect.stringMatching(
            new RegExp(
              wrong
                .slice(0, 3)
                .map(({ title }) => RegExp.escape(title))
                .join('.*'),
            ),
          ) as string,
        }),
        Services: expect.stringMatching(
          new RegExp(services.map(({ name, state }) => `${name} ?${words(state)}`).join('.*'), 'i'),
        ) as string,
      },
      pictures: [
        `By hour: cost ${roundUsd(sum.total_cost_usd)} in all`,
        `By hour: requests ${formatShortCount(sum.request_count)}, failed ${formatShortCount(sum.failed_count)} in all`,
        'Durations by hour',
        `By hour: in ${formatShortCount(sum.total_prompt_tokens)}, out ${formatShortCount(sum.total_completion_tokens)} in all`,
      ],
    };
  },
};
