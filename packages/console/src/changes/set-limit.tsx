import { formatCount } from '@agp/core/explain';
import { Stack } from '@mantine/core';
import { callApi } from '../api/api.ts';
import { ConfirmButton } from '../components/confirm.tsx';
import { AmountFields, useAmount } from './amount-fields.tsx';
import { undone } from './each-agent.ts';

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
