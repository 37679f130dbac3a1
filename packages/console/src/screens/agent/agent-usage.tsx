import type { AgentOverview } from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import { Link } from '@tanstack/react-router';
import { DayBars } from '../../charts/lazy-charts.tsx';
import { EmptyState } from '../../components/feedback.tsx';
import { Card } from '../../components/layout.tsx';
import { List } from '../../components/list.tsx';
import { Fields, Money, PiiLinks } from '../../components/values.tsx';
import { formatShortCount } from '../../format/format.ts';

const height = 200;

export function AgentUsage({ overview }: { overview: AgentOverview }) {
  const { agent, days, models, findings } = overview;
  const bars = days.map(({ day, total_cost_usd }) => ({ day, group: 'Cost', cost: total_cost_usd }));
  const metadata = Object.entries(agent.metadata);
  return (
    <div className="grid" style={{ ['--least' as string]: '24rem' }}>
      <Card title="Cost by day, last 30 days (UTC)">
        <div style={{ minHeight: height }}>
          {days.length === 0 ? (
            <EmptyState title="Nothing used in these days" />
          ) : (
            <DayBars entries={bars} height={height} />
          )}
        </div>
      </Card>
      {models.length > 0 && (
        <List
          title="Models"
          label="Models of the last 30 days"
          rows={models}
          rowKey={({ model }) => model}
          columns={[
            {
              head: 'Model',
              cell: ({ model }) => (
                <Link to="/events" search={{ agent_id: agent.id, model }}>
                  {model}
                </Link>
              ),
            },
            { head: 'Requests', right: true, cell: ({ request_count }) => formatCount(request_count) },
            { head: 'Tokens', right: true, cell: ({ total_tokens }) => formatShortCount(total_tokens) },
            { head: 'Cost', right: true, cell: ({ total_cost_usd }) => <Money usd={total_cost_usd} /> },
          ]}
        />
      )}
      <Card title="Personal data, last 30 days">
        <PiiLinks findings={findings} search={{ agent_id: agent.id }} none="None was found in its requests." />
      </Card>
      {metadata.length > 0 && (
        <Card title="Metadata">
          <Fields
            fields={Object.fromEntries(
              metadata.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
            )}
          />
        </Card>
      )}
    </div>
  );
}
