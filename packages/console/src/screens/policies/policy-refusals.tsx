import { countOf, formatCount } from '@agp/core/explain';
import type { StoredPolicy } from '@agp/policy';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiQuery } from '../../api/api.ts';
import { Reading } from '../../components/feedback.tsx';
import { Card } from '../../components/layout.tsx';
import { Rows } from '../../components/list.tsx';
import { formatDay } from '../../format/format.ts';

const dayMs = 86_400_000;
const refreshMs = 60_000;
const columns = { ['--least' as string]: '16rem' };

/** What a policy refused in two weeks: a bar and a row for each day, and a row for each team. */
export function PolicyRefusals({ stored: { id, policy } }: { stored: StoredPolicy }) {
  const query = useQuery({
    ...apiQuery('/api/v1/policies/{id}/refusals', { path: { id } }),
    refetchInterval: refreshMs,
  });
  return (
    <Card title="Refused in the last 14 days">
      <Reading query={query}>
        {({ data: { refused, days, teams, unlisted } }) =>
          refused === 0 ? (
            <span className="small dim">It refused nothing.</span>
          ) : (
            <>
              <div
                className="hour-bars"
                role="img"
                aria-label={`By day: ${countOf(refused, 'request')} in all. The table has the figures.`}
              >
                {days.map((each) => (
                  <span
                    key={each.day}
                    title={`${formatCount(each.refused)} on ${formatDay(each.day)} UTC`}
                    style={{ height: `${(100 * each.refused) / Math.max(...days.map((one) => one.refused))}%` }}
                  />
                ))}
              </div>
              <div className="grid" style={columns}>
                <Rows
                  label="Refused by day"
                  rows={days.filter((each) => each.refused > 0).toReversed()}
                  rowKey={({ day }) => day}
                  columns={[
                    { head: 'Day (UTC)', cell: ({ day }) => formatDay(day) },
                    {
                      head: 'Refused',
                      right: true,
                      cell: ({ day, refused: count }) => (
                        <Link
                          to="/refusals"
                          search={{
                            policy: policy.name,
                            from: `${day}T00:00:00.000Z`,
                            to: new Date(Date.parse(day) + dayMs).toISOString(),
                          }}
                        >
                          {formatCount(count)}
                        </Link>
                      ),
                    },
                  ]}
                />
                <Rows
                  label="Refused by team"
                  rows={[
                    ...teams,
                    // Its agents are not known.
                    ...(unlisted > 0 ? [{ team: undefined, agents: 0, refused: unlisted }] : []),
                  ]}
                  rowKey={({ team }) => `${team}`}
                  columns={[
                    {
                      head: 'Team',
                      cell: ({ team }) => team ?? <span className="dim">{team === null ? 'no team' : 'not told'}</span>,
                    },
                    { head: 'Agents', right: true, cell: ({ agents }) => (agents > 0 ? formatCount(agents) : '–') },
                    { head: 'Refused', right: true, lead: true, cell: ({ refused: count }) => formatCount(count) },
                  ]}
                />
              </div>
            </>
          )
        }
      </Reading>
    </Card>
  );
}
