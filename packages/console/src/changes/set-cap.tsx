import { maxDailyCapUsd, versionOfCap } from '@agp/core/contracts';
import { Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { callApi } from '../api/api.ts';
import type { Capped } from '../components/cap-bar.tsx';
import { ConfirmButton } from '../components/confirm.tsx';
import { roundCap, roundUsd } from '../format/format.ts';
import { AmountFields, useAmount } from './amount-fields.tsx';
import { type Agents, changeEach, nameAgents, undone } from './each-agent.ts';

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
  const amount = useAmount(cap, '', (value) => value >= 0 && value <= maxDailyCapUsd);
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
      seen={each.map(versionOfCap)}
      change={(reason, seen) => putCap(owner, seen, reason, () => wanted)}
      done={`The cap of ${nameOf(owner)} is ${next === null ? 'gone' : `${roundUsd(next)} a day`}.`}
      undo={() =>
        putCap(
          owner,
          each.map(() => versionOfCap(wanted)),
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
          max={maxDailyCapUsd}
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
