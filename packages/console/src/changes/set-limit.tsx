import { Checkbox, NumberInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { callApi } from '../api/call-api.ts';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { formatCount } from '../format/format-count.ts';

interface Props {
  agent: { id: string; name: string };
  /** Requests a minute; null is no limit. */
  limit: number | null;
  size?: 'xs' | 'sm';
}

/** As many as storage can hold. */
const highest = 2_147_483_647;

/** A button that changes how many requests an agent may make in a minute. */
export function SetLimit({ agent, limit, size = 'xs' }: Props) {
  const [limited, setLimited] = useState(limit !== null);
  const [amount, setAmount] = useState<number | string>(limit ?? 60);
  const open = () => {
    setLimited(limit !== null);
    setAmount(limit ?? 60);
  };
  const ready = !limited || (typeof amount === 'number' && Number.isInteger(amount) && amount >= 1);
  const next = limited && typeof amount === 'number' ? amount : null;
  const verb = limit === null ? 'Set limit' : 'Change limit';
  return (
    <ConfirmButton
      label={verb}
      name={`${verb} of ${agent.name}`}
      button={{ size }}
      onOpen={open}
      title={`Requests a minute of ${agent.name}`}
      verb="Set limit"
      ready={ready}
      change={(reason) =>
        callApi('put', '/api/v1/limits/agents/{id}', {
          params: { path: { id: agent.id }, query: { reason } },
          body: { requests_per_minute: next },
        })
      }
    >
      <Stack gap="sm">
        <Checkbox
          label="No more than a number a minute"
          checked={limited}
          onChange={(event) => setLimited(event.currentTarget.checked)}
        />
        {limited && (
          <NumberInput
            label="Requests a minute"
            min={1}
            max={highest}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            hideControls
            value={amount}
            onChange={setAmount}
            required
          />
        )}
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
