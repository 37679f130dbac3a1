import { type BudgetSet, findCharges, findWindow, listAmounts, never, prepareCounted, tagOf } from '@agp/budgets';
import { chargedLabels } from '@agp/core/labels';
import { CompiledQuery, sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';
import {
  addToBudgets,
  type BudgetSpend,
  budgetLock,
  type Chargeable,
  sumSpend,
} from '../record-events/budget-spend.ts';
import type { DocumentRow } from './documents.ts';
import { firstIdAt } from './pages.ts';
import { readHours } from './usage.ts';

/** Events are summed up in parts of so many milliseconds, each a statement of its own. */
const partMs = 6 * 3_600_000;
const dayMs = 86_400_000;

/** A look at the records as they were when no recording was under way: what is recorded later adds itself. */
export interface Snapshot {
  /** Call it within the transaction that changes the budget: its lock keeps recordings from coming between. */
  take(budgetId: string): Promise<void>;
  /** @param budget as it was stored while the snapshot was taken */
  count(budget: DocumentRow<'budget'>): Promise<Map<string, BudgetSpend>>;
  end(): Promise<void>;
}

/** Others see by this lock that a budget is being counted. */
const countingOf = (budgetId: string) => sql<boolean>`hashtextextended(${`budget ${budgetId}`}, 0)`;

/** Has its connection before a change begins, so that no lock waits for one. */
export async function openSnapshot(db: Db): Promise<Snapshot> {
  const transaction = await db.startTransaction().setIsolationLevel('repeatable read').execute();
  return {
    async take(budgetId) {
      // Never waits: no recording goes on meanwhile.
      await sql`SELECT pg_try_advisory_xact_lock(${countingOf(budgetId)})`.execute(transaction);
    },
    count: async (row) => (await sumRecorded(transaction, row)).spend,
    end: async () => void (await transaction.rollback().execute()),
  };
}

type SumRow = Omit<Chargeable, 'at' | 'nanoUsd' | 'tokens' | 'requests' | 'agentId' | 'agent'> & {
  agent_id: string;
  agent_name: string;
  at: Date;
  nano_usd: string;
  tokens: string;
  requests: string;
};

/** Whoever only looks waits for no more. */
interface Bounds {
  /** On the monotonic clock, in milliseconds. */
  until: number;
  keys: number;
}

/**
 * What a budget's present window holds: alike events of an hour, or of all the time, are one row. What retention removed counts by the sums
 * of hours and days, which tell no sessions, and of models the one that answered.
 * @param bounds beyond them the oldest part is told alone
 */
export async function sumRecorded(
  db: Db,
  row: Countable,
  bounds: Bounds = { until: Number.POSITIVE_INFINITY, keys: Number.POSITIVE_INFINITY },
): Promise<{ spend: Map<string, BudgetSpend>; isComplete: boolean }> {
  const set = prepareOne(row);
  const [stored] = set.budgets;
  const spend = new Map<string, BudgetSpend>();
  if (stored === undefined) return { spend, isComplete: true };
  const { window: name, zone, split_by, match } = stored.budget;
  const now = Date.now();
  const { from, to } = findWindow(name, zone, now);
  const hour = name.startsWith('rolling:') ? sql`date_trunc('hour', timestamp, 'UTC')` : sql`timestamp >= ${until(to)}`;
  // Only the payload has it, which takes its time to read.
  const asked = match.models === undefined ? sql`NULL::text` : sql`payload::json->>'requested_model'`;
  const session = split_by === 'session' ? sql`session_id` : sql`''::text`;
  const least = await findFirst(db, from);
  const add = (rows: readonly SumRow[]) => sumSpend(set, rows.map(toCharged), spend);
  if (split_by !== 'session') {
    // Recorded hours before the day of the first event that is left.
    const gone = { from: new Date(from), to: least === undefined ? undefined : new Date(least - (least % dayMs)) };
    const { rows } = await sql<SumRow>`
      SELECT agent_id, agents.name AS agent_name, labels, provider, compliance_tag, '' AS session_id, model,
        NULL AS requested_model, min(hour) AS at, (sum(cost_usd) * 1e9)::bigint::text AS nano_usd,
        sum(prompt_tokens + completion_tokens)::text AS tokens, sum(request_count)::text AS requests
      FROM ${readHours(gone, true)} AS hours JOIN agents ON agents.id = agent_id
      GROUP BY agent_id, agents.name, labels, provider, compliance_tag, model, ${name.startsWith('rolling:') ? sql`hour` : sql`hour >= ${until(to)}`}`.execute(
      db,
    );
    add(rows);
  }
  for (const [first, end] of listParts(from, least)) {
    if (performance.now() > bounds.until || spend.size > bounds.keys) return { spend, isComplete: false };
    const { rows } = await sql<SumRow>`
      SELECT agent_id, agents.name AS agent_name, labels, provider, compliance_tag, ${session} AS session_id, model,
        ${asked} AS requested_model, min(timestamp) AS at, (sum(cost_usd) * 1e9)::bigint::text AS nano_usd,
        sum(total_tokens)::text AS tokens, (count(*) FILTER (WHERE counts_as_request))::text AS requests
      FROM events JOIN agents ON agents.id = events.agent_id
      WHERE events.id >= ${first} ${end === null ? sql`` : sql`AND events.id < ${end}`} AND timestamp >= ${new Date(from)}
      GROUP BY agent_id, agents.name, labels, provider, compliance_tag, ${session}, model, ${asked}, ${hour}`.execute(
      db,
    );
    add(rows);
  }
  return { spend, isComplete: true };
}

const toCharged = ({ agent_id: agentId, agent_name: agent, nano_usd, ...each }: SumRow): Chargeable => ({
  ...{ ...each, agentId, agent, at: each.at.getTime() },
  ...{ nanoUsd: BigInt(nano_usd), tokens: BigInt(each.tokens), requests: BigInt(each.requests) },
});

const until = (ms: number) => (ms >= never ? sql`'infinity'::timestamptz` : sql`${new Date(ms)}`);

type Countable = Pick<DocumentRow<'budget'>, 'id' | 'epoch' | 'budget'>;

const prepareOne = ({ id, epoch, budget }: Countable): BudgetSet =>
  prepareCounted(0, [{ id, epoch, budget, active: null, activeEpoch: null }]);

/** When the first event since a time was made, in milliseconds; undefined without one. */
async function findFirst(db: Db, from: number): Promise<number | undefined> {
  const first = firstIdAt(new Date(from));
  const { rows } = await sql<{ least: Date | null }>`
    SELECT reporting.id_time((SELECT id FROM events WHERE id >= ${first} ORDER BY id LIMIT 1)) AS least`.execute(db);
  return rows[0]?.least?.getTime();
}

/** Ranges of ids that together have all events from a time on. @param least when the first of them was made */
function* listParts(from: number, least: number | undefined): Generator<[first: string, end: string | null]> {
  if (least === undefined) return;
  const now = Date.now();
  for (let at = Math.max(from, least); ; at += partMs) {
    const isLast = at + partMs > now;
    yield [firstIdAt(new Date(at)), isLast ? null : firstIdAt(new Date(at + partMs))];
    if (isLast) return;
  }
}

/** Rows of one statement. */
const addedAtOnce = 10_000;

/**
 * Requests are held to it from the next one on, unless it was changed meanwhile. What was used by the definition before stays for a day:
 * requests that were admitted just now still read it.
 */
export async function activateBudget(
  pool: Pool,
  row: DocumentRow<'budget'>,
  spend: readonly BudgetSpend[],
): Promise<void> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query('BEGIN');
    // Nobody reads these before the rest: recordings go on meanwhile.
    for (let at = 0; at < spend.length; at += addedAtOnce)
      await addToBudgets(client, spend.slice(at, at + addedAtOnce), -1);
    await client.query(`SELECT pg_advisory_xact_lock(${budgetLock})`);
    const { rowCount } = await client.query(
      `UPDATE budgets SET active = budget, active_epoch = epoch WHERE id = $1 AND epoch = $2 AND active_epoch IS DISTINCT FROM epoch`,
      [row.id, row.epoch],
    );
    if (rowCount === 1) {
      await chargeUnrecorded(client, row);
      await client.query('UPDATE control SET budget_version = budget_version + 1');
    }
    await client.query(rowCount === 1 ? 'COMMIT' : 'ROLLBACK');
    failed = false;
  } finally {
    client.release(failed);
  }
}

/** Of a request that is lost, whose tokens nobody knows: what an answer without a bound is taken to have. */
const unknownTokens = 4_096;

interface UnrecordedCall {
  event_id: string;
  agent_id: string;
  agent_name: string;
  metadata: Record<string, unknown>;
  session_id: string | null;
  provider: string | null;
  model: string | null;
  at: Date;
  nano_usd: number;
}

const unrecordedText = `
  SELECT event_id, agent_id, agents.name AS agent_name, agents.metadata, session_id, provider, model,
    reporting.id_time(event_id) AS at, (cost_usd * 1e9)::float8 AS nano_usd
  FROM unrecorded_spend JOIN agents ON agents.id = agent_id WHERE day >= ($1::timestamptz AT TIME ZONE 'UTC')::date`;

/** What is not recorded yet counts by its agent's present labels, the default tag and what it cost: no more is known of it. */
async function* listUnrecordedCharges(row: Countable, read: (text: string, from: Date) => Promise<UnrecordedCall[]>) {
  const set = prepareOne(row);
  const [stored] = set.budgets;
  if (stored === undefined) return;
  const { from } = findWindow(stored.budget.window, stored.budget.zone, Date.now());
  for (const { event_id, metadata, at, nano_usd, ...of } of await read(unrecordedText, new Date(from))) {
    const call = {
      agentId: of.agent_id,
      agent: of.agent_name,
      labels: chargedLabels(metadata) ?? {},
      tag: tagOf(metadata),
      provider: of.provider ?? '',
      models: of.model === null ? null : [of.model],
      sessionId: of.session_id ?? '',
    };
    const amounts = { usd: nano_usd, tokens: unknownTokens, requests: 1 };
    yield { event_id, amounts, charges: findCharges(set, call, at.getTime()) };
  }
}

/** What the present window would have beside records, by those that the budget is split by. */
export async function sumUnrecorded(db: Db, row: Countable): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  const read = async (text: string, from: Date) =>
    (await db.executeQuery<UnrecordedCall>(CompiledQuery.raw(text, [from]))).rows;
  for await (const { amounts, charges } of listUnrecordedCharges(row, read))
    for (const { key, unit } of charges.all) sums.set(key, (sums.get(key) ?? 0) + amounts[unit]);
  return sums;
}

async function chargeUnrecorded(client: { query: Pool['query'] }, row: DocumentRow<'budget'>): Promise<void> {
  const read = async (text: string, from: Date) => (await client.query<UnrecordedCall>(text, [from])).rows;
  const charged: { id: string; charges: string }[] = [];
  for await (const { event_id: id, amounts, charges } of listUnrecordedCharges(row, read)) {
    const listed = listAmounts(charges, amounts);
    if (listed !== null) charged.push({ id, charges: JSON.stringify(listed) });
  }
  await client.query(
    `UPDATE unrecorded_spend SET charges = coalesce(unrecorded_spend.charges, '{}') || more.charges
     FROM unnest($1::uuid[], $2::jsonb[]) AS more (event_id, charges) WHERE unrecorded_spend.event_id = more.event_id`,
    [charged.map(({ id }) => id), charged.map(({ charges }) => charges)],
  );
}

/** Budgets that wait to be counted, and are not being counted by any process. */
export async function listUncounted(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM budgets WHERE active_epoch IS DISTINCT FROM epoch
      AND pg_try_advisory_xact_lock(hashtextextended('budget ' || id, 0))`.execute(db);
  return rows.map(({ id }) => id);
}
