import type { CostUsageEntry, Status } from '@agp/core/contracts';
import { formatCount, type Tone } from '@agp/core/explain';
import { sumUsd } from '@agp/core/money';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usageQuery } from '../../api/api.ts';
import { fillHours } from '../../charts/chart-data.ts';
import { HourChart } from '../../charts/lazy-charts.tsx';
import { CapBar } from '../../components/cap-bar.tsx';
import { FailureNotice, Reading } from '../../components/feedback.tsx';
import { Choice } from '../../components/filters.tsx';
import { Card } from '../../components/layout.tsx';
import { type Column, List, Rows } from '../../components/list.tsx';
import { resultColumns } from '../../components/results.tsx';
import { AgentLink, Money, PiiLinks, Pill, TimeAgo } from '../../components/values.tsx';
import type { EventsSearch } from '../../search/screen-searches.ts';
import type { Window } from '../../search/search.ts';
import { ChainCard, checkAudit } from '../../verify/chain-card.tsx';
import { useChainCheck } from '../../verify/use-chain-check.ts';

const agentId = ({ agent_id }: { agent_id: string }) => agent_id;

/** Who is near the cap, who is blocked, and what personal data went through. */
export function NowLists({ status, since }: { status: Status; since: string | undefined }) {
  const { spend, agents, pii } = status;
  const [near, blocked] = [spend?.agents_near_cap ?? [], agents?.latest_blocked ?? []];
  const agent: Column<{ agent_id: string; agent_name: string }> = {
    head: 'Agent',
    cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} />,
  };
  return (
    <div className="grid" style={{ ['--least' as string]: '24rem' }}>
      {near.length > 0 && (
        <List
          title="Near their cap of today"
          aside={
            <Link to="/budgets" className="small">
              Budgets
            </Link>
          }
          rows={near}
          rowKey={agentId}
          label="Agents near their cap"
          columns={[agent, { head: 'Spent of cap', cell: (row) => <CapBar of={row} whose={row.agent_name} /> }]}
        />
      )}
      {blocked.length > 0 && (
        <List
          title="Blocked"
          aside={
            <Link to="/agents" search={{ status: 'blocked' }} className="small">
              All {formatCount(agents?.blocked ?? 0)}
            </Link>
          }
          rows={blocked}
          rowKey={agentId}
          label="Latest blocked agents"
          columns={[agent, { head: 'Changed', right: true, cell: ({ updated_at }) => <TimeAgo at={updated_at} /> }]}
        />
      )}
      {pii && (
        <Card title="Personal data">
          <PiiLinks findings={pii} search={{ from: since }} none="None was found in these requests." />
        </Card>
      )}
    </div>
  );
}

/** Hours change slowly: once a minute, in milliseconds. */
const refreshMs = 60_000;
const height = 180;

interface InWindow {
  from: Window;
}

/** Cost and requests by hour. Read after the figures, which do not wait for it; two hours would make no picture. */
export function HoursCard({ from }: InWindow) {
  const isShown = from !== '1h';
  const { data, error } = useQuery({ ...usageQuery({ from }, ['hour']), refetchInterval: refreshMs, enabled: isShown });
  const since = data?.data.from;
  if (!isShown) return null;
  return (
    <Card title="By hour">
      {error && <FailureNotice error={error} />}
      <div style={{ minHeight: height }}>
        {since && <HourChart hours={fillHours(data.data.usage, Date.parse(since), Date.now())} height={height} />}
      </div>
    </Card>
  );
}

const dearest = 5;
const kinds = [
  { value: 'agent', label: 'Agents' },
  { value: 'model', label: 'Models' },
  { value: 'provider', label: 'Providers' },
] as const;
type Kind = (typeof kinds)[number]['value'];

interface DearestProps extends InWindow {
  by: Kind;
  /** The sum of all. */
  all: CostUsageEntry | undefined;
  onChange: (by: Kind | undefined) => void;
}

/** Who cost most, and the others together, so that all adds up. */
export function DearestCard({ from, by, all, onChange }: DearestProps) {
  const query = useQuery({ ...usageQuery({ from }, [by], dearest), refetchInterval: refreshMs });
  const label = kinds.find(({ value }) => value === by)?.label ?? '';
  return (
    <Card title="What costs most" aside={<Choice label="Of" options={kinds} value={by} onChange={onChange} />} flush>
      <Reading query={query}>
        {({ data: { usage, group_by, from: since } }) => (
          <Rows
            label={`Dearest ${label.toLowerCase()}`}
            // Another group's are there until this one's have come.
            rows={group_by[0] === by ? [...usage, ...restOf(usage, all)] : []}
            rowKey={(entry) => entry.agent_id ?? entry.model ?? entry.provider ?? ''}
            columns={[
              { head: label.slice(0, -1), cell: (entry) => <NameOf entry={entry} since={since} /> },
              { head: 'Cost', right: true, cell: ({ total_cost_usd: usd }) => <Money usd={usd} /> },
              ...resultColumns((entry) => (isRest(entry) ? null : toFilter(entry, since))),
            ]}
          />
        )}
      </Reading>
    </Card>
  );
}

/** What the rows leave of all; nothing if they are all, or if they are newer. */
function restOf(rows: readonly CostUsageEntry[], all: CostUsageEntry | undefined): CostUsageEntry[] {
  const left = (read: (entry: CostUsageEntry) => number) =>
    all === undefined ? 0 : read(all) - rows.reduce((sum, entry) => sum + read(entry), 0);
  const [requests, failed] = [left((entry) => entry.request_count), left((entry) => entry.failed_count)];
  const usd = sumUsd([left((entry) => entry.total_cost_usd)]);
  if (all === undefined || rows.length < dearest || requests <= 0 || failed < 0 || usd < 0) return [];
  return [{ ...all, total_cost_usd: usd, request_count: requests, failed_count: failed, p50_ms: null, p95_ms: null }];
}

const isRest = ({ agent_id, model, provider }: CostUsageEntry) =>
  agent_id === undefined && model === undefined && provider === undefined;

const toFilter = ({ agent_id, model, provider }: CostUsageEntry, since: string | null): EventsSearch => ({
  ...{ agent_id, model, provider, from: since ?? undefined },
});

function NameOf({ entry, since }: { entry: CostUsageEntry; since: string | null }) {
  const { agent_id, agent_name, model, provider } = entry;
  if (agent_id !== undefined) return <AgentLink id={agent_id} name={agent_name} />;
  if (isRest(entry)) return <span className="dim">all others</span>;
  return (
    <Link to="/events" search={toFilter(entry, since)}>
      {model ?? provider}
    </Link>
  );
}

/** Whether the audit log is as it was written, by this browser's own computing. */
export function IntegrityCard() {
  return (
    <ChainCard
      check={useChainCheck(checkAudit)}
      title="Integrity"
      noun="entry"
      words={['Check the audit log', 'Check again']}
      idle="This browser downloads the audit log and computes every hash itself. Sessions are checked on their own pages."
      brief
    >
      <div className="small" style={{ marginTop: '0.5rem' }}>
        <Link to="/audit">Audit log</Link>
      </div>
    </ChainCard>
  );
}

const tones: Record<string, Tone> = { ready: 'good', not_ready: 'bad', idle: 'plain', unknown: 'plain' };

export function Services({ services }: { services: Status['services'] }) {
  if (!services) return null;
  return (
    <Card title="Services">
      <ul className="grid" style={{ margin: 0, padding: 0, listStyle: 'none', ['--least' as string]: '14rem' }}>
        {services.map(({ name, state, detail }) => (
          <li key={name}>
            <span style={{ display: 'flex', gap: '0.5rem', alignItems: 'center' }}>
              <strong style={{ textTransform: 'capitalize' }}>{name === 'nats' ? 'NATS' : name}</strong>
              <Pill tone={tones[state] ?? 'plain'}>{state.replace('_', ' ')}</Pill>
            </span>
            <span className="small dim">{detail}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
