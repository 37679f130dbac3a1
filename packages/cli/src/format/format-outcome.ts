import type { EventDetail, ListedEvent } from '@agp/core/contracts';
import type { Style } from '../open-terminal.ts';

/** How a request ended, in a word or two; `-` where that is not known. */
export function formatOutcome({
  outcome,
  http_status,
  failure,
}: Pick<ListedEvent, 'outcome' | 'http_status' | 'failure'>): string {
  if (!outcome) return '-';
  if (outcome === 'completed') return 'ok';
  const why = failure ?? (outcome === 'failed' ? http_status : null);
  return why === null || why === undefined ? outcome : `${outcome}: ${why}`;
}

export function chooseOutcomeStyle({ outcome }: Pick<ListedEvent, 'outcome'>): Style | undefined {
  if (!outcome || outcome === 'completed') return undefined;
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
