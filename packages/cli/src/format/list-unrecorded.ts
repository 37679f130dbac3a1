import type { UnrecordedReason, UnrecordedRequest } from '@agp/core/contracts';
import { formatTime, formatUsd } from './format-values.ts';

const meanings: Record<UnrecordedReason, string> = {
  ended_without_record:
    'its proxy ended before the event was safe; should the event come after all, it takes the place of this',
  lost: 'more events waited than a proxy holds',
  set_aside: 'the event cannot be recorded as it is, and is in quarantine',
  unknown: 'noted by an older version',
};

/** All that is known of a request without an event, by fields. */
export function listUnrecorded(request: UnrecordedRequest): [name: string, value: string][] {
  return [
    ['id', request.event_id],
    ['time', formatTime(request.started_at)],
    ['noted', formatTime(request.noted_at)],
    ['agent', `${request.agent_name ?? '-'} (${request.agent_id})`],
    ['session', request.session_id ?? '-'],
    ['result', request.outcome ?? 'not recorded'],
    ['why', `${request.reason}: ${meanings[request.reason]}`],
    ['provider', request.provider ?? '-'],
    ['model', request.model ?? '-'],
    ['counts (USD)', `${formatUsd(request.cost_usd)}, in the budgets of its day`],
  ];
}
