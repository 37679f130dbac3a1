import type { StreamEvent } from '@agp/core/contracts';
import { isFailed } from '@agp/core/explain';
import type { LiveSearch } from '../../search/screen-searches.ts';

/** Whether an event has the text in its agent's name, model or tag, in any case, and personal data or a failure if that is asked for. */
export function matchEvent(
  event: Pick<
    StreamEvent,
    'agent_name' | 'model' | 'compliance_tag' | 'pii_detected' | 'outcome' | 'http_status' | 'failure'
  >,
  { text, pii, failed }: Pick<LiveSearch, 'text' | 'pii' | 'failed'>,
): boolean {
  const { agent_name, model, compliance_tag, pii_detected } = event;
  if (pii && !pii_detected) return false;
  if (failed && !isFailed(event)) return false;
  if (text === undefined) return true;
  const wanted = text.toLowerCase();
  return [agent_name ?? '', model, compliance_tag].some((value) => value.toLowerCase().includes(wanted));
}
