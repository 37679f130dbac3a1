import { Stack } from '@mantine/core';
import { callApi } from '../api/api.ts';
import { ConfirmButton } from '../components/confirm.tsx';
import { countOf, formatUsd } from '../format/format.ts';
import { useBlockUntil } from './block-until.tsx';
import { AmountFields, highestCap, useAmount } from './changes.tsx';
import { useLabels } from './labels.tsx';

interface ManyAgentsProps {
  agents: readonly { id: string; name: string }[];
  onDone: () => void;
}

/** One by one; the others are changed even if one is not. @throws Error that names those that were not */
async function changeEach(agents: ManyAgentsProps['agents'], change: (id: string) => Promise<unknown>): Promise<void> {
  const failed: string[] = [];
  for (const { id, name } of agents) await change(id).catch((error: Error) => failed.push(`${name}: ${error.message}`));
  if (failed.length > 0)
    throw new Error(`${failed.length} of ${agents.length} were not changed. ${failed.slice(0, 5).join('; ')}`);
}

/** What can be done to all agents that are selected. */
export function ManyAgents({ agents, onDone }: ManyAgentsProps) {
  const { fields, ready, findEnd } = useBlockUntil();
  const cap = useAmount(null, '', (value) => value >= 0 && value <= highestCap);
  const labels = useLabels({});
  const what = countOf(agents.length, 'agent');
  const put = (reason: string | undefined, body: Parameters<typeof putAgent>[2]) =>
    changeEach(agents, (id) => putAgent(id, reason, body));
  return (
    <section className="filters no-print" aria-label={`${what} selected`}>
      <strong>{what} selected</strong>
      <ConfirmButton
        label="Block"
        of={what}
        verb="Block"
        danger
        ready={ready}
        onDone={onDone}
        change={(reason) => {
          const end = findEnd();
          return put(reason, { status: 'blocked', ...(end !== undefined && { blocked_until: end }) });
        }}
      >
        <Stack gap="sm">
          Their requests are refused with 403 from the next one on, and running ones end within a second.
          {fields}
        </Stack>
      </ConfirmButton>
      <ConfirmButton
        label="Unblock"
        of={what}
        verb="Unblock"
        onDone={onDone}
        change={(reason) => put(reason, { status: 'active' })}
      >
        Their requests are served again from the next one on, within their caps and limits.
      </ConfirmButton>
      <ConfirmButton
        label="Set cap"
        title={`Daily cap of each of ${what}`}
        verb="Set cap"
        onOpen={cap.reset}
        ready={cap.ready}
        onDone={onDone}
        change={(reason) =>
          changeEach(agents, (id) =>
            callApi('put', '/api/v1/budgets/agents/{id}', {
              params: { path: { id }, query: { reason } },
              body: { daily_cap_usd: cap.next, warn_only: false },
            }),
          )
        }
      >
        <Stack gap="sm">
          <AmountFields
            amount={cap}
            question="No more than an amount a day, each"
            label="USD a UTC day"
            min={0}
            max={highestCap}
            decimalScale={9}
            prefix="$"
          />
          <div role="status">
            {!cap.ready
              ? 'Enter an amount.'
              : cap.next === null
                ? 'Nothing that they do is refused for what it costs.'
                : `Each may spend ${formatUsd(cap.next)} a UTC day.`}
          </div>
        </Stack>
      </ConfirmButton>
      <ConfirmButton
        label="Label"
        title={`Labels of ${what}`}
        verb="Save"
        onOpen={labels.reset}
        ready={labels.ready}
        onDone={onDone}
        change={(reason) => put(reason, { labels: labels.changes })}
      >
        {labels.fields}
      </ConfirmButton>
    </section>
  );
}

interface AgentChange {
  status?: 'active' | 'blocked';
  blocked_until?: string;
  labels?: Record<string, string | null>;
}

const putAgent = (id: string, reason: string | undefined, body: AgentChange) =>
  callApi('put', '/api/v1/agents/{id}', { params: { path: { id }, query: { reason } }, body });
