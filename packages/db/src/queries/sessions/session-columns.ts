import type { Session } from '@agp/core/contracts';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from '../../database.ts';
import type { RowOf } from '../../row-of.ts';
import type { Schema } from '../../schema.ts';

/** A session that has events; the columns that only those have are never null. */
export type SessionRow = RowOf<Session, 'started_at' | 'ended_at'>;

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
      sql<number>`(extract(epoch FROM sessions.ended_at - sessions.started_at) * 1000)::bigint`.as('duration_ms'),
      'sessions.event_count',
      'sessions.total_tokens',
      'sessions.total_cost_usd',
      'sessions.compliance_tag',
      'sessions.pii_detected',
    ])
    .$narrowType<{ started_at: Date; ended_at: Date; compliance_tag: string }>();
}
