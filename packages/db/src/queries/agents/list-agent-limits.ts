import type { Selectable } from 'kysely';
import type { Db } from '../../database.ts';
import type { Schema } from '../../schema.ts';
import { readOldestFirst } from '../pages/read-oldest-first.ts';
import type { PageRange } from '../pages/read-pages.ts';

export const agentLimitsColumns = [
  'id',
  'name',
  'daily_cap_usd',
  'warn_only',
  'requests_per_minute',
  'created_at',
] as const;

/** An agent's cap in USD a UTC day, and its limit of requests a minute; null means no cap or limit. */
export type AgentLimitsRow = Pick<Selectable<Schema['agents']>, (typeof agentLimitsColumns)[number]>;

/** The caps and limits of all agents in pages, oldest first, retired ones included. */
export function listAgentLimits(db: Db, range: PageRange): AsyncGenerator<AgentLimitsRow[]> {
  return readOldestFirst(range, db.selectFrom('agents').select(agentLimitsColumns));
}
