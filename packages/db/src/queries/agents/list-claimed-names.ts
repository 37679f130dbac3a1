import type { ClaimedName } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import type { RowOf } from '../../row-of.ts';
import { readPages } from '../pages/read-pages.ts';

export type ClaimedNameRow = RowOf<ClaimedName, 'claimed_at'>;

/** Names that need a token, in pages, by name. */
export function listClaimedNames(db: Db): AsyncGenerator<ClaimedNameRow[]> {
  return readPages<ClaimedNameRow>({ offset: 0 }, async ({ after, limit }) => {
    const { rows } = await sql<ClaimedNameRow>`
      SELECT name, claimed_at,
        (SELECT count(*) FROM agent_tokens WHERE agent_tokens.agent_name = claimed_names.name) AS token_count
      FROM claimed_names WHERE ${after === undefined ? sql`true` : sql`name > ${after.name}`}
      ORDER BY name LIMIT ${limit}`.execute(db);
    return rows;
  });
}
