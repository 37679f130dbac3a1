import { sql } from 'kysely';
import type { Db } from '../../database.ts';

export interface UnpricedModelRow {
  provider: string;
  model: string;
  request_count: number;
  prompt_tokens: number;
  completion_tokens: number;
  first_event_at: Date;
  last_event_at: Date;
}

/** Models that were used without a known price, the most requested first, ties by provider and model. */
export async function listUnpricedModels(db: Db): Promise<UnpricedModelRow[]> {
  const { rows } = await sql<UnpricedModelRow>`
    SELECT provider, model, request_count, prompt_tokens, completion_tokens, first_event_at, last_event_at
    FROM unpriced_usage
    ORDER BY request_count DESC, provider, model`.execute(db);
  return rows;
}
