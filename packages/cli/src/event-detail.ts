import {
  type EventDetail,
  eventDetailSchema,
  type ListedEvent,
  type UnrecordedRequest,
  unrecordedRequestSchema,
} from '@agp/core/contracts';
import { describeOutcome, explainEvent, formatUsd, unrecordedReasons } from '@agp/core/explain';
import type { Api, ApiAnswer } from './api.ts';
import { ApiFailure } from './cli-error.ts';
import { type Column, formatTime } from './table.ts';

/** An event, or what is known of a request whose event is lost. */
type FoundEvent =
  | { event: ApiAnswer<EventDetail>; unrecorded: null }
  | { event: null; unrecorded: ApiAnswer<UnrecordedRequest> };

const ifFound = (error: unknown): null => {
  if (error instanceof ApiFailure && error.status === 404) return null;
  throw error;
};

/** @throws ApiFailure if nothing has this id */
export async function findEvent(api: Api, id: string): Promise<FoundEvent> {
  const path = encodeURIComponent(id);
  let failure: unknown;
  const event = await api.get(`/api/v1/events/${path}/detail`, eventDetailSchema).catch((error) => {
    failure = error;
    return ifFound(error);
  });
  if (event !== null) return { event, unrecorded: null };
  const unrecorded = await api.get(`/api/v1/costs/unrecorded/${path}`, unrecordedRequestSchema).catch(ifFound);
  if (unrecorded === null) throw failure;
  return { event: null, unrecorded };
}

export const toneStyles = { good: undefined, plain: undefined, warn: 'yellow', bad: 'red' } as const;

/** How an event ended. */
export const resultColumn: Column<Pick<ListedEvent, 'outcome' | 'http_status' | 'failure'>> = {
  head: 'RESULT',
  cell: (event) => describeOutcome(event).text,
  brief: (event) => describeOutcome(event).short,
  style: (event) => toneStyles[describeOutcome(event).tone],
  least: 7,
};

/** All that is known of an event, by fields; a star is on each that no hash covers. */
export function listDetail(event: EventDetail): [name: string, value: string][] {
  const { happened, used, rules, proof, verdict } = explainEvent(event);
  const rows = [...happened, ...used, ...rules, ...proof].map(({ label, text, look, isBare }): [string, string] => {
    const name = label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
    return [isBare ? `${name} *` : name, look === 'time' ? formatTime(text) : (text ?? '-')];
  });
  return [['id', event.id], ...rows, ['proof', verdict.text], ['', '* no hash covers it']];
}

/** All that is known of a request without an event, by fields. */
export function listUnrecorded(request: UnrecordedRequest): [name: string, value: string][] {
  return [
    ['id', request.event_id],
    ['time', formatTime(request.started_at)],
    ['noted', formatTime(request.noted_at)],
    ['agent', `${request.agent_name ?? '-'} (${request.agent_id})`],
    ['session', request.session_id ?? '-'],
    ['result', request.outcome ?? 'not recorded'],
    ['why', `${request.reason}: ${unrecordedReasons[request.reason]}`],
    ['provider', request.provider ?? '-'],
    ['model', request.model ?? '-'],
    ['counts (USD)', `${formatUsd(request.cost_usd)}, in the budgets of its day`],
  ];
}
