import type { Rule } from '@agp/alerts';
import { type BudgetDefinition, countsTheSame } from '@agp/budgets';
import type { ErrorCode } from '@agp/core/errors';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import { budgetLock } from '../record-events/budget-spend.ts';
import type { Schema } from '../schema.ts';
import { dropSilent } from './silences.ts';

/** What is kept as JSON under a name: its table and its column of that. */
const places = {
  policy: ['policies', 'policy'],
  budget: ['budgets', 'budget'],
  identity: ['identities', 'identity'],
  rule: ['notification_rules', 'rule'],
  target: ['notification_targets', 'target'],
} as const;

type Places = typeof places;
export type DocumentName = keyof Places;

/** What all have in common. */
interface StoredDocument {
  id: string;
  name: string;
  version: number;
  created_at: Date;
  updated_at: Date;
}

export type DocumentRow<Name extends DocumentName> = StoredDocument & Selectable<Schema[Places[Name][0]]>;

/** Why a document cannot be stored or removed; `message` says more than the code does. */
export interface DocumentConflict {
  code: ErrorCode;
  message?: string;
}

/** What sets a kind of document apart. */
interface DocumentKind<Name extends DocumentName> {
  taken: ErrorCode;
  full: ErrorCode;
  /** The column of `control` that each change raises, and that requests read with their admission. */
  raises?: 'policy_version' | 'budget_version' | 'identity_version';
  /** What a change takes first, so that changes wait for each other. */
  locks?: RawBuilder<unknown>;
  /** Why others keep it from being stored. */
  findConflict?(
    transaction: Db,
    document: Readonly<Record<string, unknown>>,
    others: readonly DocumentRow<Name>[],
  ): Promise<DocumentConflict | null> | DocumentConflict | null;
  /** Columns that change with it. */
  addChanges?(before: DocumentRow<Name>, document: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** What follows from its change. */
  whenReplaced?(transaction: Db, before: DocumentRow<Name>, after: DocumentRow<Name>): Promise<unknown>;
  /** What goes before it; or why it stays. */
  beforeDeleted?(transaction: Db, row: DocumentRow<Name>): Promise<DocumentConflict | null>;
}

/** Names are not taken twice, and a rule has its targets. */
const lock = (tables: string) => sql`LOCK TABLE ${sql.raw(tables)} IN SHARE ROW EXCLUSIVE MODE`;

export const changedAt = sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;

const targetsOf = (rule: unknown) => (rule as Partial<Rule>).targets ?? [];

const kinds: { readonly [Name in DocumentName]: DocumentKind<Name> } = {
  policy: { taken: 'policy_name_taken', full: 'too_many_policies', raises: 'policy_version' },

  // No recording is under way, and none begins before the commit.
  budget: {
    ...{ taken: 'budget_name_taken', full: 'too_many_budgets', raises: 'budget_version' },
    locks: sql`SELECT pg_advisory_xact_lock(${sql.lit(budgetLock)})`,
    // Another amount holds from the next request on; what counts something else is counted anew, apart from what it had.
    addChanges({ budget, epoch, active_epoch }, document) {
      const isSame = countsTheSame(budget as BudgetDefinition, document as BudgetDefinition);
      return isSame && active_epoch === epoch ? { active: JSON.stringify(document) } : { epoch: epoch + 1 };
    },
  },

  identity: {
    ...{ taken: 'identity_name_taken', full: 'too_many_identities', raises: 'identity_version' },
    // Two with one issuer would both claim its tokens.
    findConflict: (_transaction, { issuer }, others) =>
      others.some(({ identity }) => (identity as { issuer?: unknown }).issuer === issuer)
        ? { code: 'issuer_taken' }
        : null,
    // Tokens that were exchanged by what it was are gone.
    whenReplaced: (transaction, { id }) =>
      transaction.deleteFrom('exchanged_tokens').where('identity_id', '=', id).execute(),
  },

  rule: {
    ...{ taken: 'rule_name_taken', full: 'too_many_rules', locks: lock('notification_rules') },
    async findConflict(transaction, rule) {
      const known = await transaction.selectFrom('notification_targets').select('name').execute();
      const missing = targetsOf(rule).find((name) => !known.some((each) => each.name === name));
      if (missing === undefined) return null;
      return { code: 'invalid_parameter', message: `targets: no target is named ${missing}` };
    },
    // What waits in a silence of it is told to nobody.
    async beforeDeleted(transaction, { id }) {
      await dropSilent(transaction, sql`SELECT id FROM alerts WHERE rule_id = ${id}`);
      return null;
    },
  },

  target: {
    ...{ taken: 'target_name_taken', full: 'too_many_targets' },
    locks: lock('notification_rules, notification_targets'),
    // What was given up as gone is tried anew.
    addChanges: () => ({ disabled_at: null, disabled_because: null }),
    // Rules keep to it by its new name.
    whenReplaced: async (transaction, before, { name }) =>
      name === before.name ||
      sql`
        UPDATE notification_rules SET updated_at = ${changedAt}, version = version + 1, rule = jsonb_set(rule, '{targets}',
          (SELECT jsonb_agg(CASE each WHEN ${before.name}::text THEN ${name}::text ELSE each END)
           FROM jsonb_array_elements_text(rule->'targets') AS each))
        WHERE rule->'targets' ? ${before.name}`.execute(transaction),
    // What waits for it is dropped with it.
    async beforeDeleted(transaction, { id, name }) {
      const rules = await transaction
        .selectFrom('notification_rules')
        .select(['name', 'rule'])
        .orderBy('name')
        .execute();
      const users = rules.filter(({ rule }) => targetsOf(rule).includes(name)).map((each) => each.name);
      if (users.length > 0)
        return { code: 'target_in_use', message: `rules send to it: ${users.slice(0, 5).join(', ')}` };
      await transaction.deleteFrom('alert_deliveries').where('target_id', '=', id).execute();
      return null;
    },
  },
};

/** What sets a kind apart, and where it is kept. */
export function kindOf<Name extends DocumentName>(name: Name) {
  const [table, column] = places[name];
  return { table, column, kind: kinds[name] as DocumentKind<Name> };
}
