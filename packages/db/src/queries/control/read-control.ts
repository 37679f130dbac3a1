import type { Selectable } from 'kysely';
import type { Db } from '../../database.ts';
import type { Schema } from '../../schema.ts';

export const controlColumns = [
  'paused',
  'global_cap_usd',
  'global_warn_only',
  'default_agent_cap_usd',
  'default_warn_only',
  'default_requests_per_minute',
] as const;

/** Settings for all agents. Caps are USD a UTC day; null is no cap or limit. */
export type ControlRow = Pick<Selectable<Schema['control']>, (typeof controlColumns)[number]>;

export function readControl(db: Db): Promise<ControlRow> {
  return db.selectFrom('control').select(controlColumns).executeTakeFirstOrThrow();
}
