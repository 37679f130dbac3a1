import type { Db } from '../../database.ts';
import { inTransaction } from '../../in-transaction.ts';

/** Gives a claimed name back to whoever declares it. Only a name without tokens, expired ones too, can be released. */
export function releaseName(db: Db, name: string): Promise<'released' | 'unknown' | 'has_tokens'> {
  return inTransaction(db, async (transaction) => {
    const claimed = await transaction
      .selectFrom('claimed_names')
      .select('name')
      .where('name', '=', name)
      .forUpdate()
      .executeTakeFirst();
    if (claimed === undefined) return 'unknown';
    // A statement of its own: a token that was made while this one waited for the row is seen.
    const token = await transaction
      .selectFrom('agent_tokens')
      .select('id')
      .where('agent_name', '=', name)
      .limit(1)
      .executeTakeFirst();
    if (token !== undefined) return 'has_tokens';
    await transaction.deleteFrom('claimed_names').where('name', '=', name).execute();
    return 'released';
  });
}
