import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { RowsTable } from '../../components/lists/rows-table.tsx';
import { Money } from '../../components/values/money.tsx';
import { AgentLink } from '../../components/values/references.tsx';
import { formatCount, formatShare, formatShortCount } from '../../format/format-count.ts';
import type { CostGroup, CostsSearch } from './read-costs-search.ts';
import { type GroupValue, keyOf, type UsageSum } from './sum-usage.ts';

/** Rows that are drawn at once. */
const rowsAtOnce = 100;
/** Sums of agents that are read; CSV has all. */
export const mostAgents = 1_000;

/** What each group is called. */
export const groupNames: Record<CostGroup, string> = {
  model: 'Model',
  agent: 'Agent',
  provider: 'Provider',
  tag: 'Compliance tag',
};

/** Of what and when costs are. */
export type Range = Pick<CostsSearch, 'from' | 'to' | 'agent_id'>;

/** Names of filters of events. */
const filterNames = { agent: 'agent_id', model: 'model', provider: 'provider', tag: 'compliance_tag' } as const;

/** An agent leads to its page, anything else to the events that were summed. */
function GroupName({ value, sum, range }: { value: GroupValue | undefined; sum: UsageSum; range: Range }) {
  if (value === undefined) return null;
  if (value.group === 'agent') return <AgentLink id={value.key} name={value.name} />;
  const filter = sum.values.map(({ group, key }) => [filterNames[group], key || undefined]);
  return (
    <Link to="/events" search={{ ...range, ...Object.fromEntries(filter) }}>
      {value.name}
    </Link>
  );
}

interface Props {
  sums: readonly UsageSum[];
  groups: readonly CostGroup[];
  range: Range;
  /** Of all together, in USD. */
  cost: number;
}

/** What each agent, model, provider or tag used, or each pair of them, the dearest first. */
export function UsageSums({ sums, groups, range, cost }: Props) {
  const [shown, setShown] = useState(rowsAtOnce);
  return (
    <>
      <RowsTable
        label="Costs"
        rows={sums.slice(0, shown)}
        rowKey={keyOf}
        columns={[
          ...groups.map((group, at) => ({
            head: groupNames[group],
            cell: (sum: UsageSum) => <GroupName value={sum.values[at]} sum={sum} range={range} />,
          })),
          { head: 'Cost', right: true, cell: (sum) => <Money usd={sum.cost} /> },
          { head: 'Share', right: true, cell: (sum) => (cost === 0 ? '–' : formatShare(sum.cost / cost)) },
          { head: 'Requests', right: true, cell: ({ requests }) => formatCount(requests) },
          { head: 'Tokens in', right: true, cell: ({ promptTokens }) => formatShortCount(promptTokens) },
          { head: 'Tokens out', right: true, cell: ({ completionTokens }) => formatShortCount(completionTokens) },
        ]}
      />
      {sums.length > shown && (
        <div className="pager">
          <span className="dim">
            {formatCount(shown)} of {formatCount(sums.length)}
            {groups.includes('agent') && sums.length === mostAgents && ' or more'}, the dearest first
          </span>
          <Button size="xs" variant="default" onClick={() => setShown(shown + rowsAtOnce)}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
