import type { Agent } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { RowOf } from '../../row-of.ts';

export type AgentRow = RowOf<Agent, 'created_at' | 'updated_at'>;

/** The columns of an agent as it is shown: its address is that of the latest recorded request. */
export const agentColumns = [
  'agents.id',
  'agents.name',
  sql<string>`coalesce(
    (SELECT seen.source_ip FROM agent_last_seen seen WHERE seen.agent_id = agents.id), agents.source_ip
  )`.as('source_ip'),
  'agents.status',
  'agents.metadata',
  'agents.created_at',
  'agents.updated_at',
] as const;
