import type { AuditEntry } from '@agp/core/audit';
import type { Stop } from '@agp/core/contracts';
import { parseJson } from '@agp/core/json';
import { usdToDecimal } from '@agp/core/money';
import type { Selectable } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import { type Changed, inTransaction, readRows } from '../statements.ts';

const controlColumns = [
  'paused',
  'global_cap_usd',
  'global_warn_only',
  'default_agent_cap_usd',
  'default_warn_only',
  'default_requests_per_minute',
] as const;

export type ControlRow = Pick<Selectable<Schema['control']>, (typeof controlColumns)[number]>;

export function readControl(db: Db): Promise<ControlRow> {
  return db.selectFrom('control').select(controlColumns).executeTakeFirstOrThrow();
}

/** For requests that are admitted after the commit. New defaults do not change the caps and limits of registered agents. */
export function updateControl(db: Db, change: Partial<ControlRow>): Promise<Changed<ControlRow>> {
  const { global_cap_usd: globalCap, default_agent_cap_usd: defaultCap, ...rest } = change;
  return inTransaction(db, async (transaction) => {
    const before = await transaction.selectFrom('control').select(controlColumns).forUpdate().executeTakeFirstOrThrow();
    const after = await transaction
      .updateTable('control')
      .set({
        ...rest,
        ...(globalCap !== undefined && { global_cap_usd: globalCap === null ? null : usdToDecimal(globalCap) }),
        ...(defaultCap !== undefined && {
          default_agent_cap_usd: defaultCap === null ? null : usdToDecimal(defaultCap),
        }),
      })
      .returning(controlColumns)
      .executeTakeFirstOrThrow();
    return { before, after };
  });
}

/** A stop by plain SQL is in no audit log: if the latest change there ended a stop, nothing is known. */
function toStop(payload: string, member: 'status' | 'paused', until: string | null = null): Stop | null {
  const { timestamp, actor, reason, after } = parseJson(payload) as AuditEntry;
  const state = after?.[member];
  if (state !== 'blocked' && state !== true) return null;
  const by = actor.kind === 'api_key' ? `key ${actor.name}` : 'name' in actor ? actor.name : actor.kind;
  return { since: timestamp, by, reason: reason ?? null, ...(until !== null && { until }) };
}

const changed = (member: string) =>
  `payload::json #>> '{before,${member}}' IS DISTINCT FROM payload::json #>> '{after,${member}}'
   ORDER BY seq DESC LIMIT 1`;

// An agent's own refusals may be a million entries: IS NOT DISTINCT FROM uses no index of its id, so only operators' changes are read.
const blocks = `
  SELECT asked.id, log.payload, latest.until FROM unnest($1::uuid[]) AS asked (id) CROSS JOIN LATERAL (
    SELECT payload FROM audit_log
    WHERE agent_id IS NOT DISTINCT FROM asked.id AND action = 'agent.update' AND ${changed('status')}
  ) AS log CROSS JOIN LATERAL (
    SELECT payload::json #>> '{after,blocked_until}' AS until FROM audit_log
    WHERE agent_id IS NOT DISTINCT FROM asked.id AND action = 'agent.update' ORDER BY seq DESC LIMIT 1
  ) AS latest`;

const pause = `SELECT payload FROM audit_log WHERE action = 'pause.set' AND ${changed('paused')}`;

/** Reads who blocked agents, by their UUIDs; null or missing if one was blocked by plain SQL. */
export async function readBlocks(from: Db | Pool, agentIds: readonly string[]): Promise<Map<string, Stop | null>> {
  const rows = await readRows<{ id: string; payload: string; until: string | null }>(from, 'read-blocks', blocks, [
    agentIds,
  ]);
  return new Map(rows.map(({ id, payload, until }) => [id, toStop(payload, 'status', until)]));
}

/** Reads who set the pause that lasts; null without one, or if plain SQL set it. */
export async function readPause(from: Db | Pool): Promise<Stop | null> {
  const [row] = await readRows<{ payload: string }>(from, 'read-pause', pause, []);
  return row === undefined ? null : toStop(row.payload, 'paused');
}
