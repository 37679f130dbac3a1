import { Checkbox, NumberInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { callApi } from '../api/call-api.ts';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { formatCap, formatUsd } from '../format/format-money.ts';

/** Whose cap it is: of one agent, of all together, or of agents that are yet to come. */
export type CapOwner = { kind: 'agent'; id: string; name: string } | { kind: 'global' } | { kind: 'default' };

interface Props {
  owner: CapOwner;
  cap: number | null;
  warnOnly?: boolean | undefined;
  /** Today's; absent where there is none, as for new agents. */
  spent?: number | undefined;
  size?: 'xs' | 'sm';
}

/** The highest cap that the API takes, USD a day. */
const highest = 9_000_000;

const nameOf = (owner: CapOwner) =>
  ({ agent: owner.kind === 'agent' ? owner.name : '', global: 'all agents together', default: 'new agents' })[
    owner.kind
  ];

function putCap(
  owner: CapOwner,
  reason: string | undefined,
  body: { daily_cap_usd: number | null; warn_only: boolean },
) {
  const query = { reason };
  if (owner.kind === 'agent')
    return callApi('put', '/api/v1/budgets/agents/{id}', { params: { path: { id: owner.id }, query }, body });
  return owner.kind === 'global'
    ? callApi('put', '/api/v1/budgets/global', { params: { query }, body })
    : callApi('put', '/api/v1/budgets/default', { params: { query }, body });
}

function describe(owner: CapOwner, cap: number | null, warnOnly: boolean, spent: number | undefined): string {
  if (owner.kind === 'default')
    return `Agents that come from now on get ${cap === null ? 'no cap' : `a cap of ${formatUsd(cap)} a day`}. Those that are known keep theirs.`;
  if (cap === null) return 'Nothing is refused for what it costs.';
  if (warnOnly) return `Requests beyond ${formatUsd(cap)} a day are let through and counted.`;
  if (cap === 0) return 'Every request is refused with 429.';
  const used =
    spent !== undefined && spent >= cap
      ? ` Today ${formatUsd(spent)} are spent already: everything is refused until midnight UTC.`
      : '';
  return `Requests that would pass ${formatUsd(cap)} a UTC day are refused with 429, from the next one on.${used}`;
}

/** A button that changes a daily cap, and says what that will do. */
export function SetCap({ owner, cap, warnOnly = false, spent, size = 'xs' }: Props) {
  const [limited, setLimited] = useState(cap !== null);
  const [amount, setAmount] = useState<number | string>(cap ?? '');
  const [warns, setWarns] = useState(warnOnly);
  const open = () => {
    setLimited(cap !== null);
    setAmount(cap ?? '');
    setWarns(warnOnly);
  };
  const ready = !limited || (typeof amount === 'number' && amount >= 0 && amount <= highest);
  const next = limited && typeof amount === 'number' ? amount : null;
  const verb = cap === null ? 'Set cap' : 'Change cap';
  return (
    <ConfirmButton
      label={verb}
      name={`${verb} of ${nameOf(owner)}`}
      button={{ size }}
      onOpen={open}
      title={`Daily cap of ${nameOf(owner)}`}
      verb="Set cap"
      ready={ready}
      change={(reason) => putCap(owner, reason, { daily_cap_usd: next, warn_only: limited && warns })}
    >
      <Stack gap="sm">
        <div className="dim small">
          Now {formatCap(cap)}
          {cap !== null && warnOnly ? ', which only warns' : ''}
          {spent === undefined ? '' : `; ${formatUsd(spent)} spent today`}
        </div>
        <Checkbox
          label="No more than an amount a day"
          checked={limited}
          onChange={(event) => setLimited(event.currentTarget.checked)}
        />
        {limited && (
          <>
            <NumberInput
              label="USD a UTC day"
              min={0}
              max={highest}
              decimalScale={9}
              prefix="$"
              thousandSeparator=","
              hideControls
              value={amount}
              onChange={setAmount}
              required
            />
            <Checkbox
              label="Only warn: let requests through and count them"
              checked={warns}
              onChange={(event) => setWarns(event.currentTarget.checked)}
            />
          </>
        )}
        <div role="status">{ready ? describe(owner, next, warns, spent) : 'Enter an amount.'}</div>
      </Stack>
    </ConfirmButton>
  );
}
