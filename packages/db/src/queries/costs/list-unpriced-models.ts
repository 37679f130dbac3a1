import type { UnpricedModel } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import type { RowOf } from '../../row-of.ts';

export type UnpricedModelRow = RowOf<UnpricedModel, 'first_seen_at' | 'last_seen_at'>;

/** Models that were used without a known price, the most requested first, ties by provider and model. */
export async function listUnpricedModels(db: Db): Promise<UnpricedModelRow[]> {
  const { rows } = await sql<UnpricedModelRow>`
    SELECT provider, model, request_count, prompt_tokens AS total_prompt_tokens,
      completion_tokens AS total_completion_tokens, first_event_at AS first_seen_at, last_event_at AS last_seen_at
    FROM unpriced_usage
    ORDER BY request_count DESC, provider, model`.execute(db);
  return rows;
}
