import { randomUUIDv7 } from 'node:crypto';
import { type AuditEntry, type LinkedAuditEntry, linkAudit } from '@agp/core/audit';
import { toPublicId, uuidOf, uuidTime } from '@agp/core/ids';
import type { LineageHead } from '@agp/core/lineage';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import { type RefusalRow, refusalColumns, refusalGroup, toRefusalEntry } from './refusal-columns.ts';

export type NewAuditEntry = Omit<AuditEntry, 'id' | 'timestamp'> & {
  timestamp?: string;
};

/** What nobody asked for. */
export const bySystem = { actor: { kind: 'system' }, source_ip: null, agent_id: null, count: 1 } as const;

/** The last statement of its transaction: the holder of the head waits for no other lock, so nothing deadlocks. */
export async function appendAudit(transaction: Db, entries: readonly NewAuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const head = await transaction
    .selectFrom('audit_head')
    .select(['length', 'hash'])
    .forUpdate()
    .executeTakeFirstOrThrow();
  const named = entries.map((entry): AuditEntry => {
    const id = randomUUIDv7();
    return {
      ...entry,
      id: toPublicId('aud', id),
      timestamp: entry.timestamp ?? new Date(uuidTime(id)).toISOString(),
    };
  });
  const linked = linkAudit(head, named);
  const last = linked.at(-1) as LinkedAuditEntry;
  await sql`
    WITH advanced AS (UPDATE audit_head SET length = ${last.seq + 1}, hash = ${last.lineageHash})
    INSERT INTO audit_log (seq, id, "timestamp", action, agent_id, payload, lineage_hash)
    SELECT * FROM unnest(
      ${linked.map(({ seq }) => seq)}::bigint[],
      ${linked.map(({ entry }) => uuidOf('aud', entry.id))}::uuid[],
      ${linked.map(({ entry }) => entry.timestamp)}::timestamptz[],
      ${linked.map(({ entry }) => entry.action)}::text[],
      ${linked.map(({ entry }) => entry.agent_id && uuidOf('agt', entry.agent_id))}::uuid[],
      ${linked.map(({ payload }) => payload)}::text[],
      ${linked.map(({ lineageHash }) => lineageHash)}::text[]
    )`.execute(transaction);
}

interface AuditFilter {
  agentId?: string | undefined;
  actions?: readonly string[] | undefined;
  /** As the log has it, `pol_...`. */
  policyId?: string | undefined;
  /** Name or id of a person or an API key. */
  actor?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** An entry with its payload and hash, or refused requests of a minute that is not in the chain yet. */
export type AuditRow =
  | { sealed: true; payload: string; lineageHash: string }
  | { sealed: false; entry: Omit<AuditEntry, 'id'> };

type Row = Partial<RefusalRow> & { payload: string | null; lineage_hash: string | null };

/** A payload by one actor, as a regular expression: its members are in the order of their names, so that nothing else stands there. */
function matchActor(actor: string): string {
  const own = JSON.stringify(actor).replace(/[^\p{L}\p{N}"]/gu, '\\$&');
  const any = String.raw`"(?:[^"\\]|\\.)*"`;
  const either = [`${own},"kind":${any},"name":${any}`, `${any},"kind":${any},"name":${own}`];
  return `^\\{"action":${any},"actor":\\{"id":(?:${either.join('|')})\\}`;
}

/** What has no number yet comes first. One statement, so that refusals that are being sealed are shown exactly once. */
export async function listAudit(
  db: Db,
  { agentId, actions, policyId, actor, from, to }: AuditFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<AuditRow[]> {
  const ofAgent = agentId === undefined ? sql`true` : sql`agent_id = ${agentId}`;
  const ofAction = actions === undefined ? sql`true` : sql`action = ANY (${actions}::text[])`;
  const ofPolicy =
    policyId === undefined
      ? sql`true`
      : sql`action IN ('policy.create', 'policy.update', 'policy.delete') AND strpos(payload, ${`"target":${JSON.stringify(policyId)}`}) > 0`;
  const byActor = actor === undefined ? sql`true` : sql`action <> 'request.refused' AND payload ~ ${matchActor(actor)}`;
  const inRange = (time: string) =>
    sql.join(
      [from && sql`${sql.ref(time)} >= ${from}`, to && sql`${sql.ref(time)} < ${to}`, sql`true`].filter(
        (part) => part !== undefined,
      ),
      sql` AND `,
    );
  const withCounts = policyId === undefined && actor === undefined && (actions?.includes('request.refused') ?? true);
  const { rows } = await sql<Row>`
    (
      SELECT "timestamp" AS minute, agent_id, NULL::jsonb AS reasons, NULL::bigint AS count, NULL AS source_ip,
        seq, payload, lineage_hash
      FROM audit_log WHERE ${ofAgent} AND ${ofAction} AND ${ofPolicy} AND ${byActor} AND ${inRange('timestamp')}
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

export type AuditChainRow = Selectable<Schema['audit_log']>;

const pageSize = 500;

export function readAuditHead(db: Db): Promise<LineageHead> {
  return db.selectFrom('audit_head').select(['length', 'hash']).executeTakeFirstOrThrow();
}

/** The chain in pages, in its order; `length` of the head ends at that head. */
export async function* readAuditChain(db: Db, length: number): AsyncGenerator<AuditChainRow[]> {
  for (let after = -1; ; ) {
    const rows = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('seq', '>', after)
      .where('seq', '<', length)
      .orderBy('seq')
      .limit(pageSize)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.seq;
  }
}
