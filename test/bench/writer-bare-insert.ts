import type { EventMessage } from '@agp/core/events';
import { fromPublicId } from '@agp/core/ids';
import { emptyHead, headAfter, type LineageHead, link } from '@agp/core/lineage';
import { nanoToDecimal } from '@agp/core/money';

const text = `
  INSERT INTO bare_events (
    id, session_id, seq, agent_id, "timestamp", direction, model, provider, prompt_tokens, completion_tokens,
    total_tokens, cost_usd, compliance_tag, pii_detected, pii_types, counts_as_request, lineage_hash, payload, outcome,
    http_status, provider_request_id, pii_scan)
  SELECT a, b, c, d, e, f, g, h, i, j, k, l, m, n, '{}', o, p, q, r, s, t, u
  FROM unnest(
    $1::uuid[], $2::text[], $3::bigint[], $4::uuid[], $5::timestamptz[], $6::text[], $7::text[], $8::text[],
    $9::bigint[], $10::bigint[], $11::bigint[], $12::numeric[], $13::text[], $14::boolean[], $15::boolean[],
    $16::text[], $17::text[], $18::text[], $19::smallint[], $20::text[], $21::text[]
  ) AS rows (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)`;

/** The statements that insert the rows that recording this traffic makes, 100 rows each; nothing is left to compute. */
export function makeBareInserts(
  traffic: readonly EventMessage[],
): { name: string; text: string; values: unknown[][] }[] {
  const heads = new Map<string, LineageHead>();
  const rows = traffic.map((event) => {
    const place = link(heads.get(event.session_id) ?? emptyHead, event);
    heads.set(event.session_id, headAfter(place));
    return [
      fromPublicId('evt', event.id),
      event.session_id,
      place.seq,
      fromPublicId('agt', event.agent_id),
      event.timestamp,
      event.direction,
      event.model,
      event.provider,
      event.prompt_tokens,
      event.completion_tokens,
      event.total_tokens,
      nanoToDecimal(event.cost_nano_usd),
      event.compliance_tag,
      event.pii_detected,
      event.counts_as_request,
      place.lineageHash,
      place.payload,
      event.outcome,
      event.http_status,
      event.provider_request_id,
      event.pii_scan,
    ];
  });
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: Math.ceil(rows.length / 100) }, (_, batch) => {
    const part = rows.slice(batch * 100, batch * 100 + 100);
    const values = Array.from({ length: width }, (_, column) => part.map((row) => row[column]));
    return { name: 'bare-insert', text, values };
  });
}
