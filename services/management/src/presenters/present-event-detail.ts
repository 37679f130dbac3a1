import {
  type ChainedDetail,
  chainedDetailSchema,
  type Event,
  type EventDetail,
  eventSchema,
  unchainedNames,
} from '@agp/core/contracts';
import { parseJson } from '@agp/core/json';
import { hashLink } from '@agp/core/lineage';
import type { EventDetailRow } from '@agp/db';
import { presentRow } from './present-row.ts';

/** Empty for a payload that somebody broke. */
function readPayload(text: string): Record<string, unknown> {
  try {
    const payload = parseJson(text);
    return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Columns that the payload has too; `lineage_hash` covers it and is no member. */
const shownNames = Object.keys(eventSchema.shape).filter((name) => name !== 'lineage_hash') as (keyof Event)[];
const keptNames = ['outcome', 'http_status', 'provider_request_id', 'pii_scan'] as const;

/** An event with all that is known of it, and the proof of its place in the chain. */
export function presentEventDetail({ payload: text, previous_hash, seq, ...stored }: EventDetailRow): EventDetail {
  const row = presentRow(stored, 'evt');
  const payload = readPayload(text);
  const chained = Object.fromEntries(
    Object.entries(chainedDetailSchema.shape).map(([name, schema]) => [
      name,
      schema.safeParse(payload[name]).data ?? null,
    ]),
  ) as ChainedDetail;
  const differs = (name: keyof Event | (typeof keptNames)[number]) =>
    JSON.stringify(row[name]) !== JSON.stringify(payload[name]);
  const altered = [
    ...shownNames.filter(differs),
    ...keptNames.filter((name) => row[name] !== null && differs(name)),
    ...(payload.seq === seq ? [] : ['seq']),
  ];
  return {
    ...chained,
    ...row,
    ...Object.fromEntries(keptNames.map((name) => [name, row[name] ?? chained[name]])),
    not_chained: [...unchainedNames],
    chain: {
      seq,
      previous_hash,
      hash_matches: previous_hash === null ? null : hashLink(previous_hash, text) === row.lineage_hash,
      altered,
      payload: text,
    },
  } as EventDetail;
}
