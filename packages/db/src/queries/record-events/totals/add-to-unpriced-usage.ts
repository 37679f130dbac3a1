import type { ClientBase } from 'pg';
import type { RecordableEvent } from '../recordable-event.ts';
import { makeNameCounter } from './count-by-name.ts';
import type { CountedNames } from './counted-names.ts';

/** Models of one provider without a known price that are counted by name. */
export const maxUnpricedModels = 1_000;

const add = makeNameCounter({
  table: 'unpriced_usage',
  group: { provider: { type: 'text', of: ({ event }) => event.provider } },
  name: 'model',
  measures: ['request_count', 'prompt_tokens', 'completion_tokens', 'first_event_at', 'last_event_at'],
  maxNames: maxUnpricedModels,
  order: (model) => `provider COLLATE "C", ${model} COLLATE "C"`,
  lockName: `'unpriced ' || provider`,
});

/** Usage was counted, but its price is not known. */
function isUnpriced({ event }: RecordableEvent): boolean {
  return event.price_version === null && (event.usage_source === 'provider' || event.usage_source === 'estimated');
}

/** Adds events without a known price to the usage of their provider and model; models beyond the bound are counted together, under `other`. */
export async function addToUnpricedUsage(
  client: ClientBase,
  rows: readonly RecordableEvent[],
  counted: CountedNames,
): Promise<string[]> {
  const unpriced = rows.filter(isUnpriced);
  return unpriced.length === 0 ? [] : add(client, unpriced, counted);
}
