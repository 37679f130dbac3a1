import type { EventDetail } from './contracts/index.ts';

/** How a thing is to be looked at. */
type Tone = 'good' | 'warn' | 'bad' | 'plain';

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

const hints: Record<number, string> = {
  400: 'It did not take the request as it was: compare it with what its documentation asks for.',
  401: 'It did not take the API key: the one that the agent sent, or that the proxy has for this provider.',
  403: 'The API key may not do this there.',
  404: 'It knows no such path or model.',
  413: 'The request was too large for it.',
  429: "The account's limit there is reached: wait, send less, or ask the provider for more.",
};

export function explainAnswer({
  outcome,
  http_status: status,
}: Pick<EventDetail, 'outcome' | 'http_status'>): string | null {
  if (outcome !== 'completed' || status === null || status < 400) return null;
  const hint = hints[status] ?? (status >= 500 ? 'It failed: try again, or look at its status page.' : '');
  return `${status} is the provider's own answer, which the agent got as it was. ${hint}`.trim();
}
