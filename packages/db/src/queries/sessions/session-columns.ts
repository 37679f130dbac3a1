import type { SelectQueryBuilder } from 'kysely';
import type { Db } from '../../database.ts';
import type { Schema } from '../../schema.ts';

/** A session that has events; the columns that only those have are never null. */
export interface SessionRow {
  id: string;
  agent_id: string;
  agent_name: string;
  started_at: Date;
  ended_at: Date;
  event_count: number;
  total_tokens: number;
  total_cost_usd: number;
  compliance_tag: string;
  pii_detected: boolean;
}

/** Sessions as they are shown: those without a recorded event are only claims of their agent. */
export function selectSessions(db: Db): SelectQueryBuilder<Schema, 'sessions' | 'agents', SessionRow> {
  return db
    .selectFrom('sessions')
    .innerJoin('agents', 'agents.id', 'sessions.agent_id')
    .where('sessions.started_at', 'is not', null)
    .select([
      'sessions.id',
      'sessions.agent_id',
      'agents.name as agent_name',
      'sessions.started_at',
      'sessions.ended_at',
      'sessions.event_count',
      'sessions.total_tokens',
      'sessions.total_cost_usd',
      'sessions.compliance_tag',
      'sessions.pii_detected',
    ])
    .$narrowType<{ started_at: Date; ended_at: Date; compliance_tag: string }>();
}
