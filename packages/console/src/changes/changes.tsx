import type { AgentStatus } from '@agp/core/contracts';
import { countOf, formatCount } from '@agp/core/explain';
import { Checkbox, NumberInput, type NumberInputProps, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiQuery, callApi } from '../api/api.ts';
import type { Capped } from '../components/cap-bar.tsx';
import { ConfirmButton } from '../components/confirm.tsx';
import { roundCap, roundUsd } from '../format/format.ts';
import { useBlockUntil } from './block-until.tsx';
import { type AgentChange, type Agents, changeEach, nameAgents, putEach, undone } from './each-agent.ts';

interface ChangeStatusProps {
  agents: readonly {
    id: string;
    name: string;
    status: AgentStatus;
    updated_at: string;
    blocked_until?: string | null;
  }[];
  /** What they are to be. */
  to: AgentStatus;
  size?: 'xs' | 'sm';
  onDone?: () => void;
}

const verbs: Record<AgentStatus, (from: AgentStatus | undefined) => string> = {
  blocked: () => 'Block',
  active: (from) => (from === 'retired' ? 'Make active' : 'Unblock'),
  retired: () => 'Retire',
};

function RunningRequests({ id }: { id: string }) {
  const { data, error } = useQuery({
    ...apiQuery('/api/v1/agents/{id}/overview', { path: { id } }),
    refetchInterval: 1_000,
    gcTime: 0,
  });
  const running = data?.data.running_requests;
  if (error || running === null) return <>How many run at this moment is not known.</>;
  if (running === undefined) return <>Counting its running requests …</>;
  return running === 0 ? (
    <>None of its requests runs at this moment.</>
  ) : (
    <strong>Ends {countOf(running, 'running request')}.</strong>
  );
}

function Consequence({ agents, to }: Pick<ChangeStatusProps, 'agents' | 'to'>) {
  const [first] = agents;
  const [whose, who, theirs] =
    agents.length > 1 ? ['Their', 'They leave', 'their caps'] : ['Its', 'It leaves', 'its cap'];
  if (to === 'blocked')
    return (
      <>
        {whose} requests are refused with 403 from the next one on, and running ones end within a second.{' '}
        {first !== undefined && agents.length === 1 && <RunningRequests id={first.id} />}
      </>
    );
  if (to === 'retired')
    return (
      <>
        {who} the lists of active agents. <strong>{whose} requests are still served</strong>: block it to stop it. What
        it sends is shown as sent by a retired agent.
      </>
    );
  return (
    <>
      {whose} requests are served again from the next one on, within {theirs} and limit.
    </>
  );
}

/** A button that blocks, unblocks or retires agents, and asks before. */
export function ChangeStatus({ agents, to, size = 'sm', onDone }: ChangeStatusProps) {
  const isLoud = to === 'blocked' && size === 'sm';
  const before = agents.map(({ status, blocked_until }) => ({ status, ...(blocked_until && { blocked_until }) }));
  const { fields, ready, end, reset } = useBlockUntil();
  return (
    <ConfirmButton
      onOpen={reset}
      at={size === 'sm' ? { blocked: 'block', active: 'unblock', retired: undefined }[to] : undefined}
      of={nameAgents(agents)}
      button={{ size, ...(isLoud && { variant: 'filled', color: 'red.9' }) }}
      verb={verbs[to](agents[0]?.status)}
      danger={to === 'blocked'}
      ready={to !== 'blocked' || ready}
      seen={agents.map(({ updated_at }) => updated_at)}
      change={(reason, seen) => {
        const until = to === 'blocked' && end !== undefined && { blocked_until: end };
        return putEach(agents, seen, reason, () => ({ status: to, ...until }));
      }}
      done={`${nameAgents(agents)} ${agents.length > 1 ? 'are' : 'is'} ${to}.`}
      undo={(seen) => putEach(agents, seen, undone, (at) => before[at] as AgentChange)}
      {...(onDone && { onDone })}
    >
      <Stack gap="sm">
        {agents.length > 1 && <div className="small dim">{agents.map(({ name }) => name).join(', ')}</div>}
        <div>
          <Consequence agents={agents} to={to} />
        </div>
        {to === 'blocked' && fields}
      </Stack>
    </ConfirmButton>
  );
}

/** A number or none that a dialog asks for: `current` at first, `usual` if there was none. */
function useAmount(current: number | null, usual: number | '', isPossible: (value: number) => boolean) {
  // Who opens the dialog wants an amount; to have none is to take the tick away.
  const [limited, setLimited] = useState(true);
  const [entered, setEntered] = useState<number | string>(current ?? usual);
  const reset = () => {
    setLimited(true);
    setEntered(current ?? usual);
  };
  const isNumber = typeof entered === 'number';
  const ready = !limited || (isNumber && isPossible(entered));
  return { limited, setLimited, entered, setEntered, reset, ready, next: limited && isNumber ? entered : null };
}

interface AmountFieldsProps extends NumberInputProps {
  amount: ReturnType<typeof useAmount>;
  question: string;
}

function AmountFields({ amount, question, ...input }: AmountFieldsProps) {
  return (
    <>
      <Checkbox
        label={question}
        checked={amount.limited}
        onChange={(event) => amount.setLimited(event.currentTarget.checked)}
      />
      {amount.limited && (
        <NumberInput
          {...input}
          thousandSeparator=","
          hideControls
          value={amount.entered}
          onChange={amount.setEntered}
          required
          data-autofocus
        />
      )}
    </>
  );
}

interface SetLimitProps {
  agent: { id: string; name: string };
  /** Requests a minute; null is no limit. */
  limit: number | null;
  size?: 'xs' | 'sm';
}

/** As many as storage can hold. */
const highest = 2_147_483_647;

/** A button that changes how many requests an agent may make in a minute. */
export function SetLimit({ agent, limit, size = 'xs' }: SetLimitProps) {
  const amount = useAmount(limit, 60, (value) => Number.isInteger(value) && value >= 1);
  const { ready, next } = amount;
  const verb = limit === null ? 'Set limit' : 'Change limit';
  const put = (rate: number | null, reason: string | undefined, ifMatch: string | undefined) =>
    callApi('put', '/api/v1/limits/agents/{id}', {
      params: { path: { id: agent.id }, query: { reason } },
      body: { requests_per_minute: rate },
      ifMatch,
    });
  return (
    <ConfirmButton
      label={verb}
      name={`${verb} of ${agent.name}`}
      button={{ size }}
      onOpen={amount.reset}
      done={`The limit of ${agent.name} is ${next === null ? 'gone' : `${formatCount(next)} a minute`}.`}
      undo={() => put(limit, undone, `${next ?? 'none'}`)}
      at={size === 'sm' ? 'limit' : undefined}
      title={`Requests a minute of ${agent.name}`}
      verb="Set limit"
      ready={ready}
      seen={[`${limit ?? 'none'}`]}
      change={(reason, [ifMatch]) => put(next, reason, ifMatch)}
    >
      <Stack gap="sm">
        <AmountFields
          amount={amount}
          question="No more than a number a minute"
          label="Requests a minute"
          min={1}
          max={highest}
          allowDecimal={false}
          allowNegative={false}
        />
        <div role="status">
          {!ready
            ? 'Enter a whole number from 1 on.'
            : next === null
              ? 'It may make any number of requests.'
              : `Beyond ${formatCount(next)} in a minute of the clock its requests are refused with 429, from the next one on.`}
        </div>
      </Stack>
    </ConfirmButton>
  );
}

/** Whose cap it is: of each of some agents, of all together, or of agents that are yet to come. */
type CapOwner = { kind: 'agents'; agents: Agents } | { kind: 'global' } | { kind: 'default' };

interface SetCapProps {
  owner: CapOwner;
  /** Without what is spent, there is none, as for new agents. */
  of: Capped;
  /** The caps of several agents. */
  each?: readonly Capped[];
  size?: 'xs' | 'sm';
  onDone?: () => void;
}

/** As `If-Match` takes a cap. */
const toVersion = ({ daily_cap_usd: cap, warn_only }: Capped) => `${cap ?? 'none'}${warn_only ? ' warn' : ''}`;

/** The highest cap that the API takes, USD a day. */
const highestCap = 9_000_000;

const nameOf = (owner: CapOwner) =>
  owner.kind === 'agents'
    ? nameAgents(owner.agents)
    : { global: 'all agents together', default: 'new agents' }[owner.kind];

function putCap(
  owner: CapOwner,
  seen: readonly string[],
  reason: string | undefined,
  bodyOf: (at: number) => { daily_cap_usd: number | null; warn_only: boolean },
): Promise<unknown> {
  const query = { reason };
  if (owner.kind === 'agents')
    return changeEach(owner.agents, seen, (id, ifMatch, at) =>
      callApi('put', '/api/v1/budgets/agents/{id}', { params: { path: { id }, query }, body: bodyOf(at), ifMatch }),
    );
  const change = { params: { query }, body: bodyOf(0), ifMatch: seen[0] };
  return owner.kind === 'global'
    ? callApi('put', '/api/v1/budgets/global', change)
    : callApi('put', '/api/v1/budgets/default', change);
}

function describe(owner: CapOwner, cap: number | null, warnOnly: boolean, spent: number | undefined): string {
  if (owner.kind === 'default')
    return `Agents that come from now on get ${cap === null ? 'no cap' : `a cap of ${roundUsd(cap)} a day`}. Those that are known keep theirs.`;
  if (cap === null) return 'Nothing is refused for what it costs.';
  if (warnOnly) return `Requests beyond ${roundUsd(cap)} a day are let through and counted.`;
  if (cap === 0) return 'Every request is refused with 429.';
  const used =
    spent !== undefined && spent >= cap
      ? ` Today ${roundUsd(spent)} are spent already: everything is refused until midnight UTC.`
      : '';
  return `Requests that would pass ${roundUsd(cap)} a UTC day are refused with 429, from the next one on.${used}`;
}

/** A button that changes a daily cap, and says what that will do. */
export function SetCap({ owner, of, each = [of], size = 'xs', onDone }: SetCapProps) {
  const { daily_cap_usd: cap, warn_only: warnOnly = false, spent_usd: spent } = of;
  const amount = useAmount(cap, '', (value) => value >= 0 && value <= highestCap);
  const { ready, next } = amount;
  const [warns, setWarns] = useState(warnOnly);
  const wanted = { daily_cap_usd: next, warn_only: amount.limited && warns };
  const beforeOf = (at: number) => ({
    daily_cap_usd: each[at]?.daily_cap_usd ?? null,
    warn_only: each[at]?.warn_only === true,
  });
  const verb = cap === null ? 'Set cap' : 'Change cap';
  return (
    <ConfirmButton
      label={verb}
      name={`${verb} of ${nameOf(owner)}`}
      button={{ size }}
      onOpen={() => {
        amount.reset();
        setWarns(warnOnly);
      }}
      at={size === 'sm' ? 'cap' : undefined}
      title={`Daily cap of ${nameOf(owner)}`}
      verb="Set cap"
      ready={ready}
      seen={each.map(toVersion)}
      change={(reason, seen) => putCap(owner, seen, reason, () => wanted)}
      done={`The cap of ${nameOf(owner)} is ${next === null ? 'gone' : `${roundUsd(next)} a day`}.`}
      undo={() =>
        putCap(
          owner,
          each.map(() => toVersion(wanted)),
          undone,
          beforeOf,
        )
      }
      {...(onDone && { onDone })}
    >
      <Stack gap="sm">
        <div className="dim small" hidden={owner.kind === 'agents' && owner.agents.length > 1}>
          Now {roundCap(cap)}
          {cap !== null && warnOnly ? ', which only warns' : ''}
          {spent === undefined ? '' : `; ${roundUsd(spent)} spent today`}
        </div>
        <AmountFields
          amount={amount}
          question="No more than an amount a day"
          label="USD a UTC day"
          min={0}
          max={highestCap}
          decimalScale={9}
          prefix="$"
        />
        {amount.limited && (
          <Checkbox
            label="Only warn: let requests through and count them"
            checked={warns}
            onChange={(event) => setWarns(event.currentTarget.checked)}
          />
        )}
        <div role="status">{ready ? describe(owner, next, warns, spent) : 'Enter an amount.'}</div>
      </Stack>
    </ConfirmButton>
  );
}
