import type { CostUsageEntry, Status } from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import { sumUsd } from '@agp/core/money';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usageQuery } from '../../api/api.ts';
import { usePermissions } from '../../api/session.ts';
import { EmptyState, Reading } from '../../components/feedback.tsx';
import { Choice } from '../../components/filters.tsx';
import { Card } from '../../components/layout.tsx';
import { List, Rows } from '../../components/list.tsx';
import { resultColumns } from '../../components/results.tsx';
import { AgentLink, Pill, TimeAgo } from '../../components/values.tsx';
import type { EventsSearch } from '../../search/screen-searches.ts';
import type { Window } from '../../search/search.ts';
import { ChainCard, checkAudit } from '../../verify/chain-card.tsx';
import { useChainCheck } from '../../verify/use-chain-check.ts';

const agentId = ({ agent_id }: { agent_id: string }) => agent_id;

/** Who is blocked, how the services are and whether the audit log is whole. */
export function NowLists({ status: { agents, services } }: { status: Status }) {
  const { chainOfAll } = usePermissions();
  const blocked = agents?.latest_blocked ?? [];
  return (
    <div className="grid" style={{ ['--least' as string]: '20rem' }}>
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
          columns={[
            { head: 'Agent', cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} /> },
            { head: 'Changed', right: true, cell: ({ updated_at }) => <TimeAgo at={updated_at} /> },
          ]}
        />
      )}
      <Services services={services} />
      {chainOfAll && <IntegrityCard />}
    </div>
  );
}

/** Sums change slowly: once a minute, in milliseconds. */
const refreshMs = 60_000;
const dearest = 5;
const kinds = { agent: 'Agents', model: 'Models', provider: 'Providers' };
type Kind = keyof typeof kinds;
const orders = { cost: 'Cost', failed: 'Errors' };
type Order = keyof typeof orders;

interface DearestProps {
  from: Window;
  by: Kind;
  order: Order;
  /** The sum of all. */
  all: CostUsageEntry | undefined;
  onChange: (next: { by?: Kind | undefined; order?: Order | undefined }) => void;
}

/** Who cost or failed most, and the others together, so that all adds up. */
export function DearestCard({ from, by, order, all, onChange }: DearestProps) {
  const query = useQuery({ ...usageQuery({ from }, [by], dearest, order), refetchInterval: refreshMs });
  const label = kinds[by];
  return (
    <Card
      title={order === 'cost' ? 'What costs most' : 'What fails most'}
      aside={
        <div className="filters">
          <Choice label="Of" options={kinds} value={by} onChange={(next) => onChange({ by: next })} />
          <Choice label="By" options={orders} value={order} onChange={(next) => onChange({ order: next })} />
        </div>
      }
      flush
    >
      <Reading query={query} shape={{ rows: dearest }}>
        {({ data: { usage, group_by, from: since } }) =>
          usage.length === 0 ? (
            <EmptyState title="Nothing was used in this time" />
          ) : (
            <Rows
              label={`Dearest ${label.toLowerCase()}`}
              // Another group's are there until this one's have come.
              rows={group_by[0] === by ? [...usage, ...restOf(usage, all)] : []}
              rowKey={(entry) => entry.agent_id ?? entry.model ?? entry.provider ?? ''}
              columns={[
                { head: label.slice(0, -1), cell: (entry) => <NameOf entry={entry} since={since} /> },
                ...resultColumns((entry) => (isRest(entry) ? null : toFilter(entry, since))),
              ]}
            />
          )
        }
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
function IntegrityCard() {
  return (
    <ChainCard
      check={useChainCheck(checkAudit)}
      title="Integrity"
      noun="entry"
      words={['Check the audit log', 'Check again']}
      idle="This browser downloads the audit log and computes every hash itself. Sessions are checked on their own pages."
      brief
    />
  );
}

function Services({ services }: { services: Status['services'] }) {
  if (!services) return null;
  return (
    <Card title="Services">
      <span className="chips">
        {services.map(({ name, state, detail }) => (
          <Pill key={name} title={detail} {...(state === 'not_ready' && { tone: 'bad' })}>
            {name} {state.replace('_', ' ')}
          </Pill>
        ))}
      </span>
    </Card>
  );
}
