import type { BudgetRow } from '@agp/budgets';
import type { ClientBase, Pool } from 'pg';

/** All documents of a kind as they are at one version. */
export interface DocumentsAt<Row> {
  version: number;
  rows: Row[];
}

/** What requests need of each, by the kind. */
interface Parts {
  policy: { version: number; policy: unknown };
  budget: BudgetRow;
  identity: { id: string; version: number; identity: unknown };
}

export type ReadKind = keyof Parts;
export type DocumentAt<Kind extends ReadKind> = Parts[Kind];

/** Their tables, and the columns by the names that a part has here. */
const places: Record<ReadKind, [table: string, columns: string]> = {
  policy: ['policies', `'version', version, 'policy', policy`],
  budget: ['budgets', `'id', id, 'epoch', epoch, 'budget', budget, 'active', active, 'activeEpoch', active_epoch`],
  identity: ['identities', `'id', id, 'version', version, 'identity', identity`],
};

/** One statement, so that the documents are just those of the version. */
export async function readDocumentsAt<Kind extends ReadKind>(
  from: Pool | ClientBase,
  kind: Kind,
): Promise<DocumentsAt<DocumentAt<Kind>>> {
  const [table, columns] = places[kind];
  const { rows } = await from.query<DocumentsAt<DocumentAt<Kind>>>({
    name: `read-${table}`,
    text: `SELECT ${kind}_version AS version,
             (SELECT coalesce(jsonb_agg(jsonb_build_object(${columns}) ORDER BY name COLLATE "C"), '[]') FROM ${table}) AS rows
           FROM control LIMIT 1`,
  });
  return rows[0] ?? { version: 0, rows: [] };
}
