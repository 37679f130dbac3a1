import type { StreamEvent } from '../../api/shapes.ts';
import type { LiveSearch } from '../../search/screen-searches.ts';

/** Whether an event has the text in its agent's name, model or tag, in any case, and personal data if that is asked for. */
export function matchEvent(
  {
    agent_name,
    model,
    compliance_tag,
    pii_detected,
  }: Pick<StreamEvent, 'agent_name' | 'model' | 'compliance_tag' | 'pii_detected'>,
  { text, pii }: Pick<LiveSearch, 'text' | 'pii'>,
): boolean {
  if (pii && !pii_detected) return false;
  if (text === undefined) return true;
  const wanted = text.toLowerCase();
  return [agent_name ?? '', model, compliance_tag].some((value) => value.toLowerCase().includes(wanted));
}
