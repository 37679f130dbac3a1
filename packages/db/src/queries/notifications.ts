import { randomUUIDv7 } from 'node:crypto';
import type { Alert, Rule } from '@agp/alerts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import { inTransaction } from '../statements.ts';
import { dropSilent } from './silences.ts';

export type RuleRow = Selectable<Schema['notification_rules']>;
export type TargetRow = Selectable<Schema['notification_targets']>;
export type AlertRow = Selectable<Schema['alerts']>;

/** What is kept as JSON under a name. */
const tables = {
  rule: { name: 'notification_rules', taken: 'rule_name_taken', full: 'too_many_rules' },
  target: { name: 'notification_targets', taken: 'target_name_taken', full: 'too_many_targets' },
} as const;

const byName = sql`name COLLATE "C"`;
const changedAt = sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;

export const listRules = (db: Db): Promise<RuleRow[]> =>
  db.selectFrom('notification_rules').selectAll().orderBy(byName).execute();

export const listTargets = (db: Db): Promise<TargetRow[]> =>
  db.selectFrom('notification_targets').selectAll().orderBy(byName).execute();

export const readRule = (db: Db, id: string): Promise<RuleRow | undefined> =>
  db.selectFrom('notification_rules').selectAll().where('id', '=', id).executeTakeFirst();

export const readTarget = (db: Db, id: string): Promise<TargetRow | undefined> =>
  db.selectFrom('notification_targets').selectAll().where('id', '=', id).executeTakeFirst();

/** Locks all rules or targets, so that a name is not taken twice and a rule has its targets. */
async function lockNames(transaction: Db, of: keyof typeof tables): Promise<void> {
  await sql`LOCK TABLE ${sql.table(tables[of].name)} IN SHARE ROW EXCLUSIVE MODE`.execute(transaction);
}

/** The first of a rule's targets that nobody made, or null. */
async function findMissing(transaction: Db, { targets }: Pick<Rule, 'targets'>): Promise<string | null> {
  const known = await transaction.selectFrom('notification_targets').select('name').execute();
  return targets.find((name) => !known.some((each) => each.name === name)) ?? null;
}

export type NameConflict = (typeof tables)[keyof typeof tables]['taken' | 'full'] | { missing: string };

/** @param most that there may be */
export function createRule(db: Db, rule: Rule, most: number): Promise<RuleRow | NameConflict> {
  return inTransaction(db, async (transaction) => {
    await lockNames(transaction, 'rule');
    const missing = await findMissing(transaction, rule);
    if (missing !== null) return { missing };
    const known = await transaction.selectFrom('notification_rules').select('name').execute();
    if (known.some(({ name }) => name === rule.name)) return tables.rule.taken;
    if (known.length >= most) return tables.rule.full;
    return await transaction
      .insertInto('notification_rules')
      .values({ id: randomUUIDv7(), name: rule.name, rule: JSON.stringify(rule) })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Undefined for an unknown rule. */
export function replaceRule(
  db: Db,
  id: string,
  rule: Rule,
): Promise<{ before: RuleRow; after: RuleRow } | NameConflict | undefined> {
  return inTransaction(db, async (transaction) => {
    await lockNames(transaction, 'rule');
    const before = await readRule(transaction, id);
    if (before === undefined) return undefined;
    const missing = await findMissing(transaction, rule);
    if (missing !== null) return { missing };
    const all = await listRules(transaction);
    if (all.some((each) => each.name === rule.name && each.id !== id)) return tables.rule.taken;
    const after = await transaction
      .updateTable('notification_rules')
      .set({
        ...{ name: rule.name, rule: JSON.stringify(rule), version: sql<number>`version + 1` },
        updated_at: changedAt,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return { before, after };
  });
}

/** What waits in a silence of it is told to nobody. */
export function deleteRule(db: Db, id: string): Promise<RuleRow | undefined> {
  return inTransaction(db, async (transaction) => {
    await dropSilent(transaction, sql`SELECT id FROM alerts WHERE rule_id = ${id}`);
    return transaction.deleteFrom('notification_rules').where('id', '=', id).returningAll().executeTakeFirst();
  });
}

interface TargetParts {
  name: string;
  /** Without what is secret. */
  target: object;
  secrets: Readonly<Record<string, string>>;
}

export function createTarget(
  db: Db,
  { name, target, secrets }: TargetParts,
  most: number,
): Promise<TargetRow | NameConflict> {
  return inTransaction(db, async (transaction) => {
    await lockNames(transaction, 'target');
    const known = await listTargets(transaction);
    if (known.some((each) => each.name === name)) return tables.target.taken;
    if (known.length >= most) return tables.target.full;
    return await transaction
      .insertInto('notification_targets')
      .values({ id: randomUUIDv7(), name, target: JSON.stringify(target), secrets: JSON.stringify(secrets) })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/**
 * Rules keep to it by its new name, and what was given up as gone is tried anew. Undefined for an unknown target.
 * @param change makes its parts from what it was
 */
export function replaceTarget(
  db: Db,
  id: string,
  change: (before: TargetRow) => TargetParts,
): Promise<{ before: TargetRow; after: TargetRow } | NameConflict | undefined> {
  return inTransaction(db, async (transaction) => {
    await lockNames(transaction, 'rule');
    await lockNames(transaction, 'target');
    const before = await readTarget(transaction, id);
    if (before === undefined) return undefined;
    const { name, target, secrets } = change(before);
    const all = await listTargets(transaction);
    if (all.some((each) => each.name === name && each.id !== id)) return tables.target.taken;
    const after = await transaction
      .updateTable('notification_targets')
      .set({
        ...{ name, target: JSON.stringify(target), secrets: JSON.stringify(secrets) },
        ...{ version: sql<number>`version + 1`, disabled_at: null, disabled_because: null, updated_at: changedAt },
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (name !== before.name)
      await sql`
        UPDATE notification_rules SET updated_at = ${changedAt}, version = version + 1, rule = jsonb_set(rule, '{targets}',
          (SELECT jsonb_agg(CASE each WHEN ${before.name}::text THEN ${name}::text ELSE each END)
           FROM jsonb_array_elements_text(rule->'targets') AS each))
        WHERE rule->'targets' ? ${before.name}`.execute(transaction);
    return { before, after };
  });
}

/** What waits for it is dropped with it. Undefined for an unknown target; the names of rules that send to it. */
export function deleteTarget(db: Db, id: string): Promise<TargetRow | { usedBy: string[] } | undefined> {
  return inTransaction(db, async (transaction) => {
    await lockNames(transaction, 'rule');
    const target = await readTarget(transaction, id);
    if (target === undefined) return undefined;
    const usedBy = (await listRules(transaction)).filter(({ rule }) =>
      (rule as unknown as Rule).targets?.includes(target.name),
    );
    if (usedBy.length > 0) return { usedBy: usedBy.map(({ name }) => name) };
    await transaction.deleteFrom('alert_deliveries').where('target_id', '=', id).execute();
    await transaction.deleteFrom('notification_targets').where('id', '=', id).execute();
    return target;
  });
}

/** By the ids of their rules. */
export async function countOpenAlerts(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('alerts')
    .select(['rule_id', sql<number>`count(*)::integer`.as('count')])
    .where('resolved_at', 'is', null)
    .groupBy('rule_id')
    .execute();
  return new Map(rows.map(({ rule_id, count }) => [rule_id, count]));
}

/** How many alerts are not over, by severity and whether somebody looks after them. */
export const countUnresolved = (db: Db) =>
  db
    .selectFrom('alerts')
    .select([
      'severity',
      sql<'open' | 'acknowledged'>`CASE WHEN acknowledged_at IS NULL THEN 'open' ELSE 'acknowledged' END`.as('state'),
    ])
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('resolved_at', 'is', null)
    .groupBy(['severity', 'state'])
    .execute();

interface AlertFilter {
  state?: Alert['state'] | 'unresolved' | undefined;
  severity?: Alert['severity'] | undefined;
  rule?: string | undefined;
  agentId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** The place of a severity: 0 comes first. */
export const urgencyOf = (severity: RawBuilder<unknown>) =>
  sql`CASE ${severity} WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END`;

/** Those that are not over by severity, reach and time, the worst first: what is of no agent is of all; all others newest first. */
export function listAlerts(
  db: Db,
  { state, severity, rule, agentId, from, to }: AlertFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<AlertRow[]> {
  return db
    .selectFrom('alerts')
    .selectAll()
    .$if(state === 'resolved', (asked) => asked.where('resolved_at', 'is not', null))
    .$if(state !== undefined && state !== 'resolved', (asked) => asked.where('resolved_at', 'is', null))
    .$if(state === 'open', (asked) => asked.where('acknowledged_at', 'is', null))
    .$if(state === 'acknowledged', (asked) => asked.where('acknowledged_at', 'is not', null))
    .$if(severity !== undefined, (asked) => asked.where('severity', '=', severity as Alert['severity']))
    .$if(rule !== undefined, (asked) => asked.where('rule', '=', rule as string))
    .$if(agentId !== undefined, (asked) =>
      asked.where(sql<boolean>`(agent_id = ${agentId} OR ${agentId} = ANY (agent_ids))`),
    )
    .$if(from !== undefined, (asked) => asked.where('opened_at', '>=', from as Date))
    .$if(to !== undefined, (asked) => asked.where('opened_at', '<', to as Date))
    .$if(state !== undefined && state !== 'resolved', (asked) =>
      asked
        .orderBy(urgencyOf(sql.ref('severity')))
        .orderBy(sql`reach > 0`)
        .orderBy('reach', 'desc'),
    )
    .orderBy('opened_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export const readAlert = (db: Db, id: string): Promise<AlertRow | undefined> =>
  db.selectFrom('alerts').selectAll().where('id', '=', id).executeTakeFirst();

/**
 * Alerts that changed, in the order of their changes.
 * @param after the last one known; null for those of the last so many milliseconds
 */
export const listChangedAlerts = (
  db: Db,
  after: Pick<AlertRow, 'changed_at' | 'id'> | null,
  { recentMs, limit }: { recentMs: number; limit: number },
): Promise<AlertRow[]> =>
  db
    .selectFrom('alerts')
    .selectAll()
    .where(
      after === null
        ? sql<boolean>`changed_at > clock_timestamp() - make_interval(secs => ${recentMs / 1_000})`
        : sql<boolean>`(changed_at, id) > (${after.changed_at}, ${after.id})`,
    )
    .orderBy('changed_at')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Who did so first stands. Undefined for an unknown alert. */
export function acknowledgeAlert(
  db: Db,
  id: string,
  by: string,
): Promise<{ before: AlertRow; after: AlertRow } | undefined> {
  return inTransaction(db, async (transaction) => {
    const before = await transaction
      .selectFrom('alerts')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (before === undefined) return undefined;
    if (before.acknowledged_at !== null) return { before, after: before };
    const after = await transaction
      .updateTable('alerts')
      .set({
        acknowledged_at: sql<Date>`clock_timestamp()`,
        acknowledged_by: by,
        changed_at: sql<Date>`clock_timestamp()`,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return { before, after };
  });
}
