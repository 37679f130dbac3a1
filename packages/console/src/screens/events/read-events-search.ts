import { compact, type RawSearch, readChoice, readText } from '../../search/read-search.ts';
import { isTime } from '../../search/time-spans.ts';

export const outcomes = ['completed', 'failed', 'aborted', 'killed'] as const;

/** Which events are shown: stands in the address. The names are those of the API. */
export interface EventsSearch {
  agent_id?: string | undefined;
  session_id?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  compliance_tag?: string | undefined;
  pii_type?: string | undefined;
  outcome?: (typeof outcomes)[number] | undefined;
  failed?: true | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
}

function readTime(raw: RawSearch, name: string): string | undefined {
  const text = readText(raw, name);
  return text !== undefined && isTime(text) ? text : undefined;
}

export function readEventsSearch(raw: RawSearch): EventsSearch {
  return compact({
    agent_id: readText(raw, 'agent_id'),
    session_id: readText(raw, 'session_id'),
    model: readText(raw, 'model'),
    provider: readText(raw, 'provider'),
    compliance_tag: readText(raw, 'compliance_tag'),
    pii_type: readText(raw, 'pii_type'),
    outcome: readChoice(raw, 'outcome', outcomes),
    failed: readText(raw, 'failed') === 'true' ? (true as const) : undefined,
    from: readTime(raw, 'from'),
    to: readTime(raw, 'to'),
    cursor: readText(raw, 'cursor'),
  });
}
