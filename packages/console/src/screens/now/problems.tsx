import type { StoredBudget } from '@agp/budgets';
import type { Status } from '@agp/core/contracts';
import { countOf, failingBound, findFailing, formatCount, isSuspect, type Tone } from '@agp/core/explain';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { apiQuery, usageQuery } from '../../api/api.ts';
import type { Permissions } from '../../api/permissions.ts';
import { usePermissions } from '../../api/session.ts';
import { SetCap } from '../../changes/set-cap.tsx';
import { Card } from '../../components/layout.tsx';
import { partOf } from '../../components/meter.tsx';
import { Endings } from '../../components/results.tsx';
import { AgentLink } from '../../components/values.tsx';
import { formatAmount, formatLocalTime, formatShare, noRoomMeaning, roundUsd } from '../../format/format.ts';

/** Something to look at, and what to do about it. */
interface Problem {
  key: string;
  tone: Extract<Tone, 'bad' | 'warn'>;
  text: ReactNode;
  remedy: ReactNode;
}

/** A minute, in milliseconds. */
const refreshMs = 60_000;
/** Of each kind, those that failed most. */
const most = { latest: 20, week: 1_000 };
/** The part of a model's or a provider's failures that one agent has, so that it is the agent that fails. */
const mostlyOne = 0.8;

/** Those of a kind whose failures pass the bound, and since when they are counted. */
function useFailing(kind: 'agent' | 'model' | 'provider') {
  const latest = useQuery({ ...usageQuery({ from: '1h' }, [kind], most.latest, 'failed'), refetchInterval: refreshMs });
  const { usage = [], from: since = null } = latest.data?.data ?? {};
  const week = useQuery({
    ...usageQuery({ from: '7d', to: since ?? undefined }, [kind], most.week, 'failed'),
    staleTime: 10 * refreshMs,
    enabled: since !== null && usage.some(isSuspect),
  });
  const byAgent = useQuery({
    ...usageQuery({ from: '1h' }, ['agent', kind], most.latest, 'failed'),
    refetchInterval: refreshMs,
    enabled: kind !== 'agent' && usage.some(isSuspect),
  });
  return findFailing(usage, week.data?.data.usage).map((failing) => {
    const ofThis =
      byAgent.data?.data.usage.filter((each) => kind !== 'agent' && each[kind] === failing.entry[kind]) ?? [];
    const [worst] = ofThis.toSorted((one, other) => other.failed_count - one.failed_count);
    const isOneAgents = worst !== undefined && worst.failed_count >= mostlyOne * failing.entry.failed_count;
    return { ...failing, kind, since: since ?? undefined, worst: isOneAgents ? worst : null };
  });
}

/** Hours are whole. */
const clock = (at: string | undefined) => at && formatLocalTime(at).slice(0, -3);

/** Of an agent that fails: somebody has stopped it already. */
function Stopped({ id }: { id: string }) {
  const { data } = useQuery({ ...apiQuery('/api/v1/agents/{id}/overview', { path: { id } }), staleTime: refreshMs });
  const block = data?.data.block;
  return <strong>. Blocked{block && ` since ${clock(block.since)} by ${block.by}`}</strong>;
}

/** What fails is red, unless somebody has stopped it. */
function tellFailing(
  { entry, before, kind, since, worst }: ReturnType<typeof useFailing>[number],
  status: Status,
): Problem {
  const { agent_id, agent_name, model, provider, failed_count: failed, request_count: all } = entry;
  const search = { agent_id, model, provider, failed: true as const, from: since };
  const isBlocked = status.agents?.latest_blocked.some((each) => each.agent_id === agent_id) ?? false;
  return {
    key: `${kind} ${agent_id ?? model ?? provider}`,
    tone: isBlocked || worst !== null || status.pause?.paused ? 'warn' : 'bad',
    text: (
      <>
        {{ agent: '', model: 'Model ', provider: 'Provider ' }[kind]}
        <strong>{agent_id === undefined ? (model ?? provider) : <AgentLink id={agent_id} name={agent_name} />}</strong>:{' '}
        {failed === all ? `all ${formatCount(all)}` : `${formatCount(failed)} of ${formatCount(all)}`} requests since{' '}
        {clock(since)} failed ({formatShare(failed / all)}
        {before !== null && `, was ${formatShare(before)}`}): <Endings search={search} />
        {worst && `, ${formatCount(worst.failed_count)} of them of ${worst.agent_name}`}
        {agent_id !== undefined && isBlocked && <Stopped id={agent_id} />}
      </>
    ),
    remedy: <ToLink to="/events" search={search} name={`See the ${formatCount(failed)}`} />,
  };
}

function ToLink({ to, search, name }: { to: '/events' | '/budgets' | '/costs'; search?: object; name: string }) {
  return (
    <Button
      size="xs"
      variant="default"
      renderRoot={(props) => <Link to={to} {...(search && { search: search as never })} {...props} />}
    >
      {name}
    </Button>
  );
}

const isOver = (spent: number, cap: number, warnOnly: boolean) => (spent >= cap && !warnOnly ? 'bad' : 'warn');

/** Caps that are used up or nearly so. */
function* listCaps(spend: NonNullable<Status['spend']>, { change, capsOfAll }: Permissions): Generator<Problem> {
  const budgets = <ToLink to="/budgets" name="Budgets" />;
  const { spent_usd: all, daily_cap_usd: cap, agents_near_cap: near } = spend;
  const left = spend.agents_near_cap_count - near.length;
  if (cap !== null && all >= 0.8 * cap)
    yield {
      ...{ key: 'global cap', tone: isOver(all, cap, spend.warn_only) },
      text: `All agents together have spent ${roundUsd(all)} of ${roundUsd(cap)} today`,
      remedy: capsOfAll ? <SetCap owner={{ kind: 'global' }} of={spend} /> : budgets,
    };
  for (const { agent_id: id, agent_name: name, ...of } of near)
    yield {
      ...{ key: `cap of ${id}`, tone: of.no_room ? 'bad' : isOver(of.spent_usd, of.daily_cap_usd, of.warn_only) },
      text: (
        <>
          <AgentLink id={id} name={name} /> has spent {roundUsd(of.spent_usd)} of {roundUsd(of.daily_cap_usd)} today
          {of.daily_cap_usd > 0 && ` (${formatShare(of.spent_usd / of.daily_cap_usd)})`}
          {of.no_room && <strong title={noRoomMeaning}>; its next request has no room</strong>}
          {of.warn_only && '; its cap only warns'}
        </>
      ),
      remedy: change ? <SetCap owner={{ kind: 'agents', agents: [{ id, name }] }} of={of} /> : budgets,
    };
  if (left > 0)
    yield {
      ...{ key: 'further caps', tone: 'warn', remedy: budgets },
      text: `${countOf(left, 'more agent has', 'more agents have')} spent 80% or more of the daily cap`,
    };
}

/** Budgets that are used up or nearly so, by whoever used most. */
function* listFull(budgets: readonly StoredBudget[]): Generator<Problem> {
  for (const { id, budget, uses } of budgets) {
    const { name, on_exceeded: then, amount, unit } = budget;
    const most = uses[0] ?? { used: 0, held: 0, name: null };
    const part = partOf(most.used + most.held, amount);
    if (part >= 0.8 && then !== 'observe')
      yield {
        ...{ key: id, tone: part >= 1 && then === 'refuse' ? 'bad' : 'warn' },
        text: `Budget ${name}${most.name ? `, ${most.name}` : ''}: ${formatShare(part)} of ${formatAmount(amount, unit)}`,
        remedy: <ToLink to="/budgets" name="Budgets" />,
      };
  }
}

function* listOthers({ recording, services, unpriced_models: unpriced }: Status): Generator<Problem> {
  const waiting = recording?.quarantine_waiting ?? 0;
  for (const { name, state, detail } of services ?? [])
    if (state === 'not_ready') yield { key: name, tone: 'bad', text: `${name} is not ready: ${detail}`, remedy: null };
  if (waiting > 0)
    yield {
      ...{ key: 'quarantine', tone: 'bad' },
      text: `${countOf(waiting, 'message was', 'messages were')} set aside and not recorded`,
      remedy: <span className="mono">npm run quarantine</span>,
    };
  if (unpriced?.count)
    yield {
      ...{ key: 'unpriced', tone: 'warn' },
      text: `${countOf(unpriced.count, 'model has no price: its', 'models have no price: their')} cost is in no sum`,
      remedy: <ToLink to="/costs" search={{ view: 'unpriced' }} name="Add prices" />,
    };
}

/** Drawn before somebody asks for all: the chart below is to be seen at once. */
const atOnce = 3;

/** All that should be looked at, the worst first, each with what to do; nothing if all is well. */
export function Problems({ status }: { status: Status }) {
  const permissions = usePermissions();
  const [isOpen, setOpen] = useState(false);
  const failing = [useFailing('agent'), useFailing('model'), useFailing('provider')].flat();
  const caps = status.spend === null ? [] : listCaps(status.spend, permissions);
  const budgets = useQuery({ ...apiQuery('/api/v1/budgets/list'), refetchInterval: refreshMs }).data?.data ?? [];
  const all = [
    ...failing.map((each) => tellFailing(each, status)),
    ...listOthers(status),
    ...caps,
    ...listFull(budgets),
  ];
  const sorted = all.toSorted((one, other) => Number(other.tone === 'bad') - Number(one.tone === 'bad'));
  const shown = isOpen ? sorted : sorted.slice(0, atOnce);
  const since = failing[0]?.since;
  if (all.length === 0) return null;
  return (
    <Card
      title={`To look at: ${formatCount(all.length)}`}
      aside={
        all.length > atOnce && (
          <Button size="compact-xs" variant="subtle" onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Show fewer' : `Show all ${formatCount(all.length)}`}
          </Button>
        )
      }
      flush
    >
      <ul className="problems">
        {shown.map(({ key, tone, text, remedy }) => (
          <li key={key} data-tone={tone}>
            <div>{text}</div>
            {remedy}
          </li>
        ))}
      </ul>
      {since && (
        <p className="small dim problems-note">
          Failing: at least {formatShare(failingBound.part)} of {failingBound.requests} or more requests since{' '}
          {clock(since)}, and more than twice its part of the week before (was).
        </p>
      )}
    </Card>
  );
}
