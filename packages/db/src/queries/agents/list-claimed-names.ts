import type { Db } from '../../database.ts';
import { readPages } from '../events/read-pages.ts';

export interface ClaimedNameRow {
  name: string;
  claimed_at: Date;
  /** Tokens that were not revoked, expired ones too. */
  token_count: number;
}

/** Names that need a token, in pages, by name. */
export function listClaimedNames(db: Db): AsyncGenerator<ClaimedNameRow[]> {
  return readPages<ClaimedNameRow>({ offset: 0 }, ({ after, limit }) => {
    let query = db
      .selectFrom('claimed_names')
      .select(({ selectFrom }) => [
        'claimed_names.name',
        'claimed_names.claimed_at',
        selectFrom('agent_tokens')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('agent_tokens.agent_name', '=', 'claimed_names.name')
          .as('token_count'),
      ])
      .orderBy('claimed_names.name')
      .limit(limit);
    if (after !== undefined) query = query.where('claimed_names.name', '>', after.name);
    return query.execute() as Promise<ClaimedNameRow[]>;
  });
}
