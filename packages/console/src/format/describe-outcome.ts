/** How a thing is to be looked at. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain';

interface Ended {
  outcome?: string | null | undefined;
  http_status?: number | null | undefined;
  failure?: string | null | undefined;
}

/** How a request ended, in a word or two. */
export function describeOutcome({ outcome, http_status, failure }: Ended): { text: string; tone: Tone } {
  if (!outcome) return { text: 'not known', tone: 'plain' };
  const isError = typeof http_status === 'number' && http_status >= 400;
  if (outcome === 'completed')
    return isError ? { text: `answered ${http_status}`, tone: 'bad' } : { text: 'completed', tone: 'good' };
  const why = failure === 'refused' ? 'connection refused' : (failure ?? (isError ? http_status : null));
  const text = why === null || why === undefined ? outcome : `${outcome}: ${why}`;
  return { text, tone: outcome === 'failed' || outcome === 'lost' ? 'bad' : 'warn' };
}

interface Searched {
  pii_types?: readonly string[] | undefined;
  pii_detected?: boolean;
  pii_scan?: string | null | undefined;
}

/** The personal data found; nothing found is only said where all was searched. */
export function describePii({ pii_types, pii_detected, pii_scan }: Searched): { text: string; tone: Tone } {
  if (pii_types && pii_types.length > 0) return { text: pii_types.join(', '), tone: 'warn' };
  if (pii_detected) return { text: 'found', tone: 'warn' };
  if (pii_scan === 'partial') return { text: 'none in what was searched', tone: 'plain' };
  return pii_scan === 'none' ? { text: 'not searched', tone: 'plain' } : { text: 'none', tone: 'plain' };
}
