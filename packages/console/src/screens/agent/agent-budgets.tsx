import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../../api/api.ts';
import { useView } from '../../api/session.ts';
import { NothingLeft } from '../../components/cap-bar.tsx';
import { Reading } from '../../components/feedback.tsx';
import { Card } from '../../components/layout.tsx';
import { Meter } from '../../components/meter.tsx';
import { TimeStamp } from '../../components/values.tsx';
import { formatAmount } from '../../format/format.ts';

/** The budgets that count an agent's requests, with what is left of each. */
export function AgentBudgets({ id: agent_id }: { id: string }) {
  const view = useView();
  const query = useQuery({
    ...apiQuery('/api/v1/budgets/explain', { query: { agent_id } }),
    refetchInterval: refreshMs,
  });
  return (
    <Card title="Budgets that count it">
      <Reading query={query} shape={{ rows: 2 }}>
        {({ data }) =>
          data.length === 0 ? (
            <span className="dim">None {view && `of ${view} `}beside its daily cap.</span>
          ) : (
            <ul className="lines" style={{ marginTop: 0 }}>
              {data.map(({ id, name, unit, amount, window, use, on_exceeded }) => (
                <li key={id}>
                  <Link to="/budgets" hash={id}>
                    {name}
                  </Link>{' '}
                  {formatAmount(Math.max(0, use.left), unit)} left of {formatAmount(amount, unit)}
                  {window.to && ' until '}
                  {window.to && <TimeStamp at={window.to} />} <NothingLeft use={use} beyond={on_exceeded} />
                  <Meter label={`Used of ${name}`} {...{ use, amount, unit, beyond: on_exceeded }} />
                </li>
              ))}
            </ul>
          )
        }
      </Reading>
    </Card>
  );
}
