import type { Db } from '../../database.ts';
import { inTransaction } from '../../in-transaction.ts';

/** Releases a claimed name, so that any agent may declare it again. Only a name without tokens, expired ones included, can be released. */
export function releaseName(db: Db, name: string): Promise<'released' | 'unknown' | 'has_tokens'> {
  return inTransaction(db, async (transaction) => {
    const claimed = await transaction
      .selectFrom('claimed_names')
      .select('name')
      .where('name', '=', name)
      .forUpdate()
      .executeTakeFirst();
    if (claimed === undefined) return 'unknown';
    // A separate statement, to see a token that was made while the first waited for the row.
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
