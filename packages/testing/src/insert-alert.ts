import { randomUUIDv7 } from 'node:crypto';
import { toPublicId, uuidOf } from '@agp/core/ids';
import type { Pool, PoolClient } from 'pg';

interface AlertParts {
  rule?: string;
  kind?: string;
  severity?: 'info' | 'warning' | 'critical';
  subject?: string;
  title?: string;
  detail?: string;
  path?: string;
  /** Its id outside. */
  agentId?: string;
  /** Ids outside of several agents. */
  agentIds?: string[];
  openedAt?: Date;
}

/** Puts an open alert there as the watch would, of a rule that a new database has, and as if its cause stayed for a day; its id outside. */
export async function insertAlert(pool: Pick<Pool | PoolClient, 'query'>, parts: AlertParts = {}): Promise<string> {
  const id = randomUUIDv7();
  const { rule = 'agents-failing', kind = 'failing', severity = 'critical', subject = id } = parts;
  const { title = 'agent nightly fails: all 306 requests', detail = 'mostly 401', path = '/' } = parts;
  const agent = parts.agentId === undefined ? null : uuidOf('agt', parts.agentId);
  const agents = (parts.agentIds ?? (parts.agentId === undefined ? [] : [parts.agentId])).map((of) =>
    uuidOf('agt', of),
  );
  await pool.query(
    `INSERT INTO alerts (id, rule_id, rule, kind, severity, subject, "window", title, detail, path, agent_id, opened_at, agent_ids, reach,
       seen_at)
     SELECT $1, id, name, $3, $4, $5, '', $6, $7, $8, $9, coalesce($10, clock_timestamp()), $11, cardinality($11::uuid[]),
       now() + interval '1 day'
     FROM notification_rules WHERE name = $2`,
    [id, rule, kind, severity, subject, title, detail, path, agent, parts.openedAt ?? null, agents],
  );
  return toPublicId('alr', id);
}

/** Puts a message about an alert there, which waits or was given up; its id outside. */
export async function insertDelivery(
  pool: Pool,
  { target, alert, isDead = false }: { target: string; alert?: string; isDead?: boolean },
): Promise<string> {
  const id = randomUUIDv7();
  await pool.query(
    `INSERT INTO alert_deliveries (id, target_id, alert_id, line, occasion, attempts, dead_at, error)
     VALUES ($1::uuid, $2, $3, $1::uuid::text, 'opened', $4, $5, $6)`,
    [
      ...[id, uuidOf('ntg', target), uuidOf('alr', alert ?? (await insertAlert(pool)))],
      ...(isDead ? [20, new Date(), 'HTTP 500'] : [0, null, null]),
    ],
  );
  return toPublicId('dlv', id);
}
