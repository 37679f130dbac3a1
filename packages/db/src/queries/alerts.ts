import type { Alert } from '@agp/alerts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import { inTransaction } from '../statements.ts';

export type AlertRow = Selectable<Schema['alerts']>;

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
