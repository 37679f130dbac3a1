import { countOf, formatCount } from '@agp/core/explain';
import type { Policy, Preview } from '@agp/policy';
import { Button, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../../api/api.ts';
import { FailureNotice } from '../../components/feedback.tsx';
import { Choice } from '../../components/filters.tsx';
import { Card } from '../../components/layout.tsx';
import { Rows } from '../../components/list.tsx';
import { AgentLink, EventTime, TimeStamp } from '../../components/values.tsx';
import { formatLocalTime } from '../../format/format.ts';

/** By the number of days. */
const spans = { '1': 'Last 24 hours', '7': 'Last 7 days', '30': 'Last 30 days' };
type Span = keyof typeof spans;
const dayMs = 86_400_000;

interface Asked {
  policy: Policy;
  span: Span;
}

async function preview(policy: Policy, days: number, signal?: AbortSignal): Promise<Preview> {
  const from = new Date(Date.now() - days * dayMs).toISOString();
  const body = { policies: [policy], from } as never;
  return (await callApi('post', '/api/v1/policies/preview', { body, ...(signal && { signal }) })).data;
}

const pauseMs = 600;
/** Nothing of the past is asked for, in days. */
const noPast = 1 / 86_400;

/** What is told of a policy before it is tried: names that nothing has, agents by a name that anybody may take, rules that change nothing. */
function Warnings({ policy }: { policy: Policy | null }) {
  const [asked] = useDebouncedValue(policy, pauseMs);
  const { data } = useQuery({
    queryKey: ['policy-warnings', asked],
    queryFn: ({ signal }) => preview(asked as Policy, noPast, signal),
    enabled: asked !== null,
  });
  const lines = [...(data?.contradictions ?? []), ...(data?.warnings ?? [])];
  return (
    lines.length > 0 && <Lines title="To look at first" lines={lines.map((text) => [text, text])} tone="tone-warn" />
  );
}

/** What a policy would have done to recorded requests. @param policy null while the text is none */
export function PolicyPreview({ policy }: { policy: Policy | null }) {
  const [span, setSpan] = useState<Span>('7');
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: ({ policy: tried, span: days }: Asked) => preview(tried, Number(days)),
  });
  const isOld = data !== undefined && JSON.stringify(variables?.policy) !== JSON.stringify(policy);
  return (
    <Card title="Try it on what was recorded">
      <Stack gap="md">
        <div className="filters">
          <Choice label="Requests of the" options={spans} value={span} onChange={(next) => setSpan(next ?? '7')} />
          <Button
            variant="default"
            loading={isPending}
            disabled={policy === null}
            onClick={() => policy && mutate({ policy, span })}
          >
            Try it
          </Button>
        </div>
        <Warnings policy={policy} />
        <div role="status">
          {error && <FailureNotice error={error} />}
          {data === undefined && !error && (
            <span className="small dim">Nothing is stored or refused: it only says what would have happened.</span>
          )}
          {isOld && <span className="tone-warn">The text was changed since: try it again.</span>}
          {data && <Verdict preview={data} />}
        </div>
        {data && <Details preview={data} />}
      </Stack>
    </Card>
  );
}

function Verdict({ preview: { requests, refused, flagged, agents, is_complete, from, to } }: { preview: Preview }) {
  return (
    <>
      <div className="stat-line">
        {refused === 0
          ? 'It would have refused, changed or cut nothing'
          : `Would have refused, changed or cut ${countOf(refused, 'request')} of ${countOf(agents, 'agent')}`}
        {flagged > 0 && `, and flagged ${formatCount(flagged)}`}
      </div>
      <div className="small dim">
        of {countOf(requests, 'request')} from <TimeStamp at={from} beside={to} /> to{' '}
        <TimeStamp at={to} beside={from} />
        {!is_complete && ' (there was no time for those before)'}, if it were enforced
      </div>
    </>
  );
}

const shares = { unread: 'Not known', rule: 'Rule', agent: 'Agent', model: 'Model', tool: 'Tool' } as const;

function Details({ preview }: { preview: Preview }) {
  const { by, examples, cannot_tell: unknown, never, unseen } = preview;
  return (
    <>
      {unseen.length > 0 && (
        <Lines
          title="Names that no request had: misspelt?"
          lines={unseen.map(({ rule, name }) => [`${rule} ${name}`, `${rule}: ${name}`])}
          tone="tone-warn"
        />
      )}
      <Hours preview={preview} />
      <div className="grid" style={{ ['--least' as string]: '16rem' }}>
        {(Object.keys(shares) as (keyof typeof shares)[])
          .filter((name) => by[name].length > 0)
          .map((name) => (
            <Rows
              key={name}
              label={name === 'unread' ? 'Not known to any table' : `By ${name}`}
              rows={by[name]}
              rowKey={(row) => row.name}
              columns={[
                // One policy is tried, so its name is not repeated.
                { head: shares[name], cell: (row) => (name === 'rule' ? row.name.split(' ').at(-1) : row.name) },
                { head: 'Requests', right: true, cell: (row) => formatCount(row.requests) },
              ]}
            />
          ))}
      </div>
      {examples.length > 0 && <Examples examples={examples} />}
      {unknown.length > 0 && (
        <Lines
          title="What records cannot tell"
          lines={unknown.map(({ rule, requests, reason }) => [
            `${rule} ${reason}`,
            `${rule}: ${countOf(requests, 'request')}, ${reason}`,
          ])}
        />
      )}
      {never.length > 0 && (
        <Lines
          title="Never matched"
          lines={never.map(({ policy, rule }) => [
            `${policy} ${rule}`,
            rule === null ? `${policy}: no request is for it` : `${rule}: found nothing`,
          ])}
        />
      )}
    </>
  );
}

interface LinesProps {
  title: string;
  lines: readonly (readonly [key: string, text: string])[];
  tone?: string;
}

function Lines({ title, lines, tone }: LinesProps) {
  return (
    <div className={tone}>
      <strong>{title}</strong>
      <ul className="lines small">
        {lines.map(([key, text]) => (
          <li key={key}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

const hourMs = 3_600_000;
const mostBars = 168;
const mostDays = 7;
/** In percent: a day that begins later has no room for its name. */
const lastName = 90;

/** Bars over all that was searched, with the days in which they are. */
function Hours({ preview: { by, from, to } }: { preview: Preview }) {
  if (by.hour.length === 0) return null;
  const end = Date.parse(to);
  const first = Math.floor(Date.parse(from) / hourMs) * hourMs;
  const hours = Array.from({ length: Math.ceil((end - first) / hourMs) }, (_, at) => first + at * hourMs);
  const each = hourMs * Math.ceil(hours.length / mostBars);
  const counts = new Map<number, number>();
  for (const { name, requests } of by.hour) {
    const at = Date.parse(name) - ((Date.parse(name) - first) % each);
    counts.set(at, (counts.get(at) ?? 0) + requests);
  }
  const most = Math.max(...counts.values());
  const days = hours.filter((at) => new Date(at).getHours() === 0);
  const placed = days
    .filter((_, at) => at % Math.ceil(days.length / mostDays) === 0)
    .map((at) => ({ at, left: (100 * (at - first)) / (hours.length * hourMs) }));
  return (
    <div>
      <div
        className="hour-bars"
        role="img"
        aria-label={`By hour: ${countOf(by.hour.length, 'hour')} with some, at most ${formatCount(most)} in one bar`}
      >
        {hours
          .filter((at) => (at - first) % each === 0)
          .map((at) => (
            <span
              key={at}
              title={`${formatCount(counts.get(at) ?? 0)} in ${countOf(each / hourMs, 'hour')} from ${formatLocalTime(new Date(at).toISOString())}`}
              style={{ height: `${(100 * (counts.get(at) ?? 0)) / most}%` }}
            />
          ))}
      </div>
      <div className="small dim hour-days">
        {placed
          .filter(({ left }) => left <= lastName)
          .map(({ at, left }) => (
            <span key={at} style={{ left: `${left}%` }}>
              {formatLocalTime(new Date(at).toISOString(), first - 1).split(', ')[0]}
            </span>
          ))}
      </div>
    </div>
  );
}

function Examples({ examples }: Pick<Preview, 'examples'>) {
  return (
    <Rows
      label="Examples"
      rows={examples}
      rowKey={(row) => `${row.event_id} ${row.policy} ${row.rule}`}
      columns={[
        { head: 'Request', cell: ({ event_id, timestamp }) => <EventTime id={event_id} at={timestamp} /> },
        {
          head: 'Agent',
          cell: ({ agent_id, agent_name, model }) => (
            <div>
              <AgentLink id={agent_id} name={agent_name} />
              <div className="small dim">{model}</div>
            </div>
          ),
        },
        {
          head: 'Why',
          cell: ({ rule, reason }) => (
            <div className="small text-cell">
              {rule}: {reason}
            </div>
          ),
        },
      ]}
    />
  );
}
