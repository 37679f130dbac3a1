import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database.ts';

/** Whether a rule tells nobody of an agent now. @param ruleId and agentId are columns, or values */
export const isSilent = (ruleId: RawBuilder<unknown>, agentId: RawBuilder<unknown>) =>
  sql<boolean>`EXISTS (
    SELECT FROM notification_rules AS silenced, jsonb_array_elements(silenced.rule->'silences') AS silence
    WHERE silenced.id = ${ruleId} AND (silence->>'until')::timestamptz > clock_timestamp() AND (silence->'agents' IS NULL
      OR EXISTS (SELECT FROM agents WHERE agents.id = ${agentId} AND silence->'agents' ? agents.name)))`;

/** Of agents those of which a rule tells nobody now. @param ids null is no agent in particular */
export async function listSilent(db: Db, ruleId: string, ids: readonly (string | null)[]): Promise<Set<string | null>> {
  const { rows } = await sql<{ id: string | null }>`
    SELECT asked.id FROM unnest(${ids}::uuid[]) AS asked (id)
    WHERE ${isSilent(sql`${ruleId}::uuid`, sql.ref('asked.id'))}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Drops what waits in a silence to be told, and is in nobody's hand. @param alertIds a query of the alerts that it is of */
export async function dropSilent(transaction: Db, alertIds: RawBuilder<unknown>): Promise<void> {
  await sql`
    DELETE FROM alert_deliveries AS each USING alerts
    WHERE alerts.id = each.alert_id AND alerts.id IN (${alertIds}) AND occasion = 'opened' AND delivered_at IS NULL
      AND attempts = 0 AND next_at <= clock_timestamp()
      AND ${isSilent(sql.ref('alerts.rule_id'), sql.ref('alerts.agent_id'))}`.execute(transaction);
}
