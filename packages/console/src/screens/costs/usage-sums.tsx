import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { RowsTable } from '../../components/lists/rows-table.tsx';
import { Money } from '../../components/values/money.tsx';
import { AgentLink } from '../../components/values/references.tsx';
import { formatCount, formatShare, formatShortCount } from '../../format/format-count.ts';
import type { CostGroup } from './read-costs-search.ts';
import type { UsageSum } from './sum-usage.ts';

/** Rows that are drawn at once. */
const rowsAtOnce = 100;
/** Agents that are read; CSV has all. */
export const mostAgents = 1_000;

/** What each group is called. */
export const groupNames: Record<CostGroup, string> = {
  model: 'Model',
  agent: 'Agent',
  provider: 'Provider',
  tag: 'Compliance tag',
};

function GroupName({ sum, by }: { sum: UsageSum; by: CostGroup }) {
  if (by === 'agent') return <AgentLink id={sum.key} name={sum.name} />;
  const search = { model: { model: sum.key }, provider: { provider: sum.key }, tag: { compliance_tag: sum.key } }[by];
  return (
    <Link to="/events" search={search}>
      {sum.name}
    </Link>
  );
}

/** What each agent, model, provider or tag used, the dearest first. */
export function UsageSums({ sums, by, cost }: { sums: readonly UsageSum[]; by: CostGroup; cost: number }) {
  const [shown, setShown] = useState(rowsAtOnce);
  return (
    <>
      <RowsTable
        label="Costs"
        rows={sums.slice(0, shown)}
        rowKey={({ key }) => key}
        columns={[
          {
            head: groupNames[by],
            cell: (sum) => <GroupName sum={sum} by={by} />,
          },
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
            {by === 'agent' && sums.length === mostAgents && ' or more'}, the dearest first
          </span>
          <Button size="xs" variant="default" onClick={() => setShown(shown + rowsAtOnce)}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
