import type { Db } from '../../database.ts';

/** What holds for all agents. Caps are USD a UTC day; null is no cap or limit. */
export interface ControlRow {
  paused: boolean;
  global_cap_usd: number | null;
  global_warn_only: boolean;
  default_agent_cap_usd: number | null;
  default_warn_only: boolean;
  default_requests_per_minute: number | null;
}

export const controlColumns = [
  'paused',
  'global_cap_usd',
  'global_warn_only',
  'default_agent_cap_usd',
  'default_warn_only',
  'default_requests_per_minute',
] as const;

/** What holds for all agents at this moment. */
export function readControl(db: Db): Promise<ControlRow> {
  return db.selectFrom('control').select(controlColumns).executeTakeFirstOrThrow();
}
