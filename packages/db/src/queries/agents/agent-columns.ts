import { sql } from 'kysely';

/** The columns of an agent as it is shown: its address is that of the latest recorded request. */
export const agentColumns = [
  'agents.id',
  'agents.name',
  'agents.status',
  'agents.metadata',
  'agents.created_at',
  'agents.updated_at',
  sql<string>`coalesce(
    (SELECT seen.source_ip FROM agent_last_seen seen WHERE seen.agent_id = agents.id), agents.source_ip
  )`.as('source_ip'),
] as const;

export interface AgentRow {
  id: string;
  name: string;
  status: 'active' | 'blocked' | 'retired';
  metadata: Record<string, unknown>;
  source_ip: string;
  created_at: Date;
  updated_at: Date;
}
