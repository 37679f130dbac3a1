import type { AuditEntry } from '@agp/core/audit';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { type RefusalRow, refusalColumns, refusalGroup, toRefusalEntry } from '../refusals/refusal-columns.ts';

export interface AuditFilter {
  /** UUID */
  agentId?: string | undefined;
  action?: string | undefined;
  /** Entries of this time or later. */
  from?: Date | undefined;
  /** Entries before this time. */
  to?: Date | undefined;
}

/** An entry with its payload and hash, or refused requests of a minute that is not in the chain yet. */
export type AuditRow =
  | { sealed: true; payload: string; lineageHash: string }
  | { sealed: false; entry: Omit<AuditEntry, 'id'> };

type Row = Partial<RefusalRow> & { payload: string | null; lineage_hash: string | null };

/**
 * One page of the audit log: first what has no number yet, then by number, the highest first. Not by time, because refused requests get
 * their number when their minute is over. One statement, so that refusals that are being sealed are shown exactly once.
 */
export async function listAudit(
  db: Db,
  { agentId, action, from, to }: AuditFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<AuditRow[]> {
  const ofAgent = agentId === undefined ? sql`true` : sql`agent_id = ${agentId}`;
  const ofAction = action === undefined ? sql`true` : sql`action = ${action}`;
  const inRange = (time: string) =>
    sql.join(
      [from && sql`${sql.ref(time)} >= ${from}`, to && sql`${sql.ref(time)} < ${to}`, sql`true`].filter(
        (part) => part !== undefined,
      ),
      sql` AND `,
    );
  const withCounts = action === undefined || action === 'request.refused';
  const { rows } = await sql<Row>`
    (
      SELECT "timestamp" AS minute, agent_id, NULL::jsonb AS reasons, NULL::bigint AS count, NULL AS source_ip,
        seq, payload, lineage_hash
      FROM audit_log WHERE ${ofAgent} AND ${ofAction} AND ${inRange('timestamp')}
      ORDER BY seq DESC LIMIT ${limit + offset}
    ) UNION ALL (
      SELECT ${refusalColumns}, NULL, NULL, NULL
      FROM refusal_counts WHERE ${ofAgent} AND ${withCounts} AND ${inRange('minute')}
      GROUP BY ${refusalGroup}
    )
    ORDER BY seq DESC NULLS FIRST, minute DESC, agent_id, count DESC, reasons LIMIT ${limit} OFFSET ${offset}`.execute(
    db,
  );
  return rows.map((row) =>
    row.payload !== null && row.lineage_hash !== null
      ? { sealed: true, payload: row.payload, lineageHash: row.lineage_hash }
      : { sealed: false, entry: toRefusalEntry(row as RefusalRow) },
  );
}
