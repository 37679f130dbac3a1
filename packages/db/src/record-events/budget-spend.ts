import { type BudgetSet, findCharges, listAmounts, prepareCounted } from '@agp/budgets';
import type { EventMessage } from '@agp/core/events';
import { uuidOf } from '@agp/core/ids';
import { nanoToDecimal } from '@agp/core/money';
import type { ClientBase, Pool } from 'pg';
import { readDocumentsAt } from '../documents-at.ts';
import { toPlainArray, toTextArray } from './array-literals.ts';
import type { RecordableEvent } from './recordable-event.ts';

/** An advisory lock: shared by all that record, and alone with a change of what a budget counts. */
export const budgetLock = 4_704_131;

/** Recordings under way end before a budget changes, and later ones see the change. */
export async function shareBudgets(client: ClientBase): Promise<void> {
  await client.query({ name: 'share-budgets', text: `SELECT pg_advisory_xact_lock_shared(${budgetLock})` });
}

/** A statement of its own after the lock is shared: its snapshot holds all that was committed before. */
export async function readBudgetVersion(client: Pool | ClientBase): Promise<number> {
  const text = 'SELECT budget_version FROM control LIMIT 1';
  const { rows } = await client.query<{ budget_version: number }>({ name: 'read-budget-version', text });
  return rows[0]?.budget_version ?? 0;
}

/** Names are remembered up to so many, then forgotten. */
const maxNames = 100_000;

/** Budgets at the version that was read last, and names of agents, which never change. */
export class KnownBudgets {
  #set: BudgetSet | null = null;
  readonly #names = new Map<string, string>();

  async at(client: Pool | ClientBase, version: number): Promise<BudgetSet> {
    if (this.#set?.version === version) return this.#set;
    const { version: now, rows } = await readDocumentsAt(client, 'budget');
    this.#set = prepareCounted(now, rows);
    return this.#set;
  }

  async nameAll(client: Pool | ClientBase, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const asked = [...new Set(ids)];
    const names = new Map(asked.flatMap((id) => (this.#names.has(id) ? [[id, this.#names.get(id) as string]] : [])));
    const missing = asked.filter((id) => !names.has(id));
    if (missing.length === 0) return names;
    const text = 'SELECT id, name FROM agents WHERE id = ANY($1::uuid[])';
    const values = [toPlainArray(missing)];
    const { rows } = await client.query<{ id: string; name: string }>({ name: 'read-agent-names', text, values });
    if (this.#names.size + rows.length > maxNames) this.#names.clear();
    for (const { id, name } of rows) {
      this.#names.set(id, name);
      names.set(id, name);
    }
    return names;
  }
}

/** What was used of a budget in one window, for one of those that it is split by. */
export interface BudgetSpend {
  budgetId: string;
  epoch: number;
  key: string;
  /** In milliseconds since 1970. */
  startsAt: number;
  nanoUsd: bigint;
  tokens: bigint;
  requests: bigint;
}

/** What events, or sums of alike ones, tell of the budgets that they count in. */
type Charged = Pick<EventMessage, 'provider' | 'compliance_tag' | 'session_id' | 'model' | 'requested_model'> & {
  agentId: string;
  agent: string;
  labels?: Readonly<Record<string, string>> | null | undefined;
  /** In milliseconds since 1970. */
  at: number;
};

export type Chargeable = Charged & Pick<BudgetSpend, 'nanoUsd' | 'tokens' | 'requests'>;

const nothing = {};

/** A call counts by the model that was asked for, and by the one that answered. */
function chargesOf(set: BudgetSet, { agentId, agent, labels, provider, compliance_tag: tag, ...of }: Charged) {
  const models = [...new Set([of.model, of.requested_model ?? of.model])];
  return findCharges(
    set,
    { agentId, agent, labels: labels ?? nothing, tag, provider, models, sessionId: of.session_id },
    of.at,
  );
}

/** Adds up by budget, key and window. */
export function sumSpend(
  set: BudgetSet,
  all: Iterable<Chargeable>,
  into = new Map<string, BudgetSpend>(),
): Map<string, BudgetSpend> {
  for (const used of all) {
    for (const { stored, key, window } of chargesOf(set, used).all) {
      const name = `${stored.id} ${stored.epoch} ${window.bucket} ${key}`;
      const sum = into.get(name) ?? { budgetId: stored.id, epoch: stored.epoch, key, startsAt: window.bucket, ...none };
      into.set(name, {
        ...sum,
        nanoUsd: sum.nanoUsd + used.nanoUsd,
        tokens: sum.tokens + used.tokens,
        requests: sum.requests + used.requests,
      });
    }
  }
  return into;
}

const none = { nanoUsd: 0n, tokens: 0n, requests: 0n };

/** What events add to budgets; nothing is asked while there is none. */
export async function listBudgetSpend(
  client: ClientBase,
  version: number,
  known: KnownBudgets,
  rows: readonly RecordableEvent[],
): Promise<BudgetSpend[]> {
  if (version === 0) return [];
  const set = await known.at(client, version);
  if (set.budgets.length === 0) return [];
  const ids = rows.map(({ agentId }) => agentId);
  const names = await known.nameAll(client, ids);
  const charged = rows.map(({ event, agentId }) => ({
    ...event,
    agentId,
    agent: names.get(agentId) ?? '',
    at: Date.parse(event.timestamp),
    nanoUsd: BigInt(event.cost_nano_usd),
    tokens: BigInt(event.total_tokens),
    requests: event.counts_as_request ? 1n : 0n,
  }));
  return [...sumSpend(set, charged).values()];
}

/** What an event that is not recorded counts in budgets, by scope; null if nothing. */
export async function chargeEvent(
  pool: Pool,
  { budgets }: { budgets: KnownBudgets },
  event: EventMessage,
): Promise<Record<string, number> | null> {
  const version = await readBudgetVersion(pool);
  if (version === 0) return null;
  const set = await budgets.at(pool, version);
  const agentId = uuidOf('agt', event.agent_id);
  const agent = (await budgets.nameAll(pool, [agentId])).get(agentId) ?? '';
  const charges = chargesOf(set, { ...event, agentId, agent, at: Date.parse(event.timestamp) });
  const requests = event.counts_as_request ? 1 : 0;
  return listAmounts(charges, { usd: event.cost_nano_usd, tokens: event.total_tokens, requests });
}

/** Rows that a window's usage is spread over, so that writers seldom wait for each other. */
const shards = 8;

/** @param shard -1 has what was used before the budget was made */
export async function addToBudgets(
  client: ClientBase,
  spend: readonly BudgetSpend[],
  shard = Math.floor(Math.random() * shards),
): Promise<void> {
  if (spend.length === 0) return;
  await client.query({
    name: 'add-to-budgets',
    text: `
      INSERT INTO budget_spend (budget_id, epoch, key, starts_at, shard, cost_usd, tokens, requests)
      SELECT budget_id, epoch, key, starts_at, $8, cost_usd, tokens, requests
      FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::timestamptz[], $5::numeric[], $6::bigint[], $7::bigint[])
        AS used (budget_id, epoch, key, starts_at, cost_usd, tokens, requests)
      ORDER BY budget_id, epoch, key COLLATE "C", starts_at
      ON CONFLICT (budget_id, epoch, key, starts_at, shard) DO UPDATE SET
        cost_usd = budget_spend.cost_usd + EXCLUDED.cost_usd, tokens = budget_spend.tokens + EXCLUDED.tokens,
        requests = budget_spend.requests + EXCLUDED.requests`,
    values: [
      toPlainArray(spend.map(({ budgetId }) => budgetId)),
      toPlainArray(spend.map(({ epoch }) => epoch)),
      toTextArray(spend.map(({ key }) => key)),
      toPlainArray(spend.map(({ startsAt }) => new Date(startsAt).toISOString())),
      toPlainArray(spend.map(({ nanoUsd }) => nanoToDecimal(nanoUsd))),
      toPlainArray(spend.map(({ tokens }) => String(tokens))),
      toPlainArray(spend.map(({ requests }) => String(requests))),
      shard,
    ],
  });
}
