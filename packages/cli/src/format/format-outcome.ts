import type { EventDetail, ListedEvent } from '@agp/core/contracts';
import type { Style } from '../open-terminal.ts';

const isError = (status: number | null | undefined) => typeof status === 'number' && status >= 400;

/** `refused` alone would read as if the proxy had refused the request. */
export function formatFailure(failure: ListedEvent['failure']): string | null {
  return failure === 'refused' ? 'connection refused' : (failure ?? null);
}

/** How a request ended, in a word or two: the status of an answer with 4xx or 5xx; `-` where that is not known. */
export function formatOutcome({
  outcome,
  http_status,
  failure,
}: Pick<ListedEvent, 'outcome' | 'http_status' | 'failure'>): string {
  if (!outcome) return '-';
  if (outcome === 'completed') return isError(http_status) ? String(http_status) : 'ok';
  const why = formatFailure(failure) ?? (outcome === 'failed' ? http_status : null);
  return why === null || why === undefined ? outcome : `${outcome}: ${why}`;
}

export function chooseOutcomeStyle({
  outcome,
  http_status,
}: Pick<ListedEvent, 'outcome' | 'http_status'>): Style | undefined {
  if (!outcome) return undefined;
  if (outcome === 'completed') return isError(http_status) ? 'red' : undefined;
  return outcome === 'failed' ? 'red' : 'yellow';
}

/** The kinds of personal data found; `no` where all was searched and none found; `-` where nothing was searched, or that is not known. */
export function formatPii({
  pii_types,
  pii_scan,
}: Pick<EventDetail, 'pii_types'> & Pick<ListedEvent, 'pii_scan'>): string {
  if (pii_types.length > 0) return pii_types.join(',');
  if (pii_scan === 'partial') return 'no, searched in part';
  return pii_scan === 'full' ? 'no' : '-';
}
