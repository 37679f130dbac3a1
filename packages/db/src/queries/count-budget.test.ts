import { randomUUIDv7 } from 'node:crypto';
import { type BudgetDefinition, budgetSchema, findCharges, prepareHeld } from '@agp/budgets';
import { toPublicId } from '@agp/core/ids';
import { startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { beforeAll, expect, test } from 'vitest';
import { type Database, type Db, openDatabase } from '../database.ts';
import { readDocumentsAt } from '../documents-at.ts';
import { removeOldEvents } from '../maintain/retention.ts';
import { recordEvents } from '../record-events/record-events.ts';
import { readUsed } from './budgets.ts';
import { activateBudget, listUncounted, openSnapshot, sumRecorded } from './count-budget.ts';
import {
  createDocument,
  type DocumentRow,
  deleteDocument,
  listDocuments,
  readDocument,
  replaceDocument,
} from './documents.ts';
import { addUnrecordedSpend } from './unrecorded.ts';

const hourMs = 3_600_000;
let owner: Database;
let writer: Database;
let management: Database;
const agent = randomUUIDv7();

beforeAll(async () => {
  const stack = await startTestStack();
  const open = (url: string, pipeline = false) => openDatabase({ url, applicationName: 'budgets', pipeline });
  owner = open(stack.databaseUrl);
  writer = open(stack.urls.writer.databaseUrl, true);
  management = open(stack.urls.management.databaseUrl);
  await owner.pool.query(
    `INSERT INTO agents (id, name, source_ip, metadata) VALUES ($1, 'bot', '::1', '{"team":"sales"}')`,
    [agent],
  );
  return async () => {
    await Promise.all([owner.close(), writer.close(), management.close()]);
    await stack[Symbol.asyncDispose]();
  };
});

let made = 0;
const record = (hoursAgo: number, nanoUsd: number, over: object = {}) => {
  const at = new Date(Date.now() - hoursAgo * hourMs);
  made += 1;
  return recordEvents(writer.pool, [
    makeEvent({
      id: toPublicId(
        'evt',
        `${at
          .getTime()
          .toString(16)
          .padStart(12, '0')
          .replace(/^(.{8})/, '$1-')}${randomUUIDv7().slice(13)}`,
      ),
      timestamp: at.toISOString(),
      agent_id: toPublicId('agt', agent),
      session_id: `ses_count${made}`,
      cost_nano_usd: nanoUsd,
      labels: { team: 'sales' },
      ...over,
    }),
  ]);
};

const define = (over: object): BudgetDefinition =>
  budgetSchema.parse({ name: 'b', amount: 1, window: 'total', ...over });

/** As management changes one: the snapshot is taken within the transaction. @param meanwhile is done before it is counted */
async function change(
  make: (db: Db) => Promise<DocumentRow<'budget'>>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<DocumentRow<'budget'>> {
  const snapshot = await openSnapshot(management.db);
  try {
    const row = await management.db.transaction().execute(async (transaction) => {
      const made = await make(transaction);
      if (made.active_epoch !== made.epoch) await snapshot.take(made.id);
      return made;
    });
    if (row.active_epoch === row.epoch) return row;
    expect(await listUncounted(management.db)).toEqual([]);
    await meanwhile();
    await activateBudget(management.pool, row, [...(await snapshot.count(row)).values()]);
    return (await readDocument(management.db, 'budget', row.id)) as DocumentRow<'budget'>;
  } finally {
    await snapshot.end();
  }
}

async function readUse(): Promise<number[]> {
  const { version, rows: budgets } = await readDocumentsAt(management.pool, 'budget');
  const set = prepareHeld(version, budgets);
  const call = {
    agentId: agent,
    agent: 'bot',
    labels: { team: 'sales' },
    tag: 'default',
    provider: 'openai',
    sessionId: 'ses_x',
  };
  const charges = findCharges(set, { ...call, models: null }, Date.now()).all;
  return charges.length === 0 ? [] : await readUsed(management.pool, charges);
}

test('a budget counts what its window holds, then what is recorded, and anew once it counts something else', async () => {
  await record(0.001, 5);
  await record(50, 70);
  const create = (over: object) =>
    change(
      async (db) =>
        (await createDocument(
          db,
          'budget',
          { document: define(over) },
          { most: 10, team: null },
        )) as DocumentRow<'budget'>,
    );
  const budget = await create({ match: { labels: { team: ['sales'] } } });
  expect(budget).toMatchObject({ active_epoch: 1, epoch: 1 });
  expect(await readUse()).toEqual([75]);
  await record(0, 900);
  expect(await readUse()).toEqual([975]);
  // What is lost counts by its charges until it is recorded after all.
  await addUnrecordedSpend(owner.pool, [
    {
      eventId: randomUUIDv7(),
      agentId: agent,
      day: new Date().toISOString().slice(0, 10),
      costNanoUsd: 1_000,
      reason: 'lost',
      request: null,
    },
  ]);
  const replace = (over: object) =>
    change(async (db) => {
      const replaced = await replaceDocument(db, 'budget', budget.id, () => ({ document: define(over) }));
      if (replaced === undefined || 'code' in replaced) throw new Error('not replaced');
      return replaced.after;
    });
  expect(await replace({ match: { labels: { team: ['sales'] } }, amount: 9 })).toMatchObject({ epoch: 1, version: 2 });
  expect(await readUse()).toEqual([975]);
  expect(await replace({ window: 'rolling:24' })).toMatchObject({ epoch: 2, active_epoch: 2, version: 3 });
  expect(await readUse()).toEqual([1_905]);
  await replace({ window: 'rolling:24', unit: 'requests' });
  expect(await readUse()).toEqual([3]);
  await replace({ match: { models: ['other-model'] } });
  await record(0, 3, { requested_model: 'other-model' });
  expect((await readUse())[0]).toBe(1_003);
  await deleteDocument(management.db, 'budget', budget.id);
  expect(await readUse()).toEqual([]);
  await removeOldEvents(owner.db, new Date(), 184);
  const { rows } = await owner.pool.query('SELECT FROM budget_spend');
  expect(rows).toEqual([]);
});

test('a definition that is changed while it is counted begins anew, and each event counts once', async () => {
  await record(0, 100);
  const before = define({ name: 'twice', match: { labels: { team: ['sales'] } }, window: 'rolling:1' });
  let id = '';
  const make = async (db: Db) =>
    (await createDocument(db, 'budget', { document: before }, { most: 10, team: null })) as DocumentRow<'budget'>;
  const first = await change(make, async () => {
    [id = ''] = (await listDocuments(management.db, 'budget')).map((budget) => budget.id);
    await record(0, 5);
    const second = await change(async (db) => {
      const replaced = await replaceDocument(db, 'budget', id, () => ({ document: { ...before, amount: 7 } }));
      return (replaced as { after: DocumentRow<'budget'> }).after;
    });
    expect(second).toMatchObject({ epoch: 2, active_epoch: 2 });
  });
  // The first count is not taken for the second's.
  expect(first).toMatchObject({ epoch: 2, active_epoch: 2, active: expect.objectContaining({ amount: 7 }) });
  const { rows } = await owner.pool.query<{ nano: number }>(
    `SELECT (sum(cost_usd) * 1e9)::float8 AS nano FROM events WHERE timestamp >= date_trunc('hour', now())`,
  );
  const lost = 1_000;
  expect(await readUse()).toEqual([Number(rows[0]?.nano) + lost]);
});

test('what retention removed counts as it did before, by the sums that are kept', async () => {
  for (const [days, over] of [
    [40, {}],
    [39.9, { labels: { team: 'legal' }, compliance_tag: 'gdpr' }],
    [39, { labels: null, model: 'claude-x', provider: 'anthropic', counts_as_request: false }],
    [20, {}],
    [1, {}],
  ] as const)
    await record(24 * days, 700, over);
  const definitions = [
    {},
    { unit: 'tokens', match: { labels: { team: ['legal', 'sales'] } } },
    { unit: 'requests', split_by: 'agent' },
    { split_by: 'label:team', match: { tags: ['gdpr'] } },
    { match: { models: ['claude-*'], providers: ['anthropic'] } },
    { window: `rolling:${24 * 31}` },
  ].map((over) => ({ id: randomUUIDv7(), epoch: 1, budget: define(over) }));
  const sumAll = () =>
    Promise.all(
      definitions.map(async (row) => {
        const { spend, isComplete } = await sumRecorded(management.db, row);
        const sums = new Map<string, bigint>();
        for (const { key, ...of } of spend.values())
          sums.set(
            key,
            (sums.get(key) ?? 0n) + { usd: of.nanoUsd, tokens: of.tokens, requests: of.requests }[row.budget.unit],
          );
        return [isComplete, ...sums];
      }),
    );
  const before = await sumAll();
  expect(before.map((sums) => sums.length)).toEqual(definitions.map(() => 2));
  const [kept] = (await owner.pool.query('SELECT count(*)::int AS count FROM events')).rows;
  await removeOldEvents(owner.db, new Date(), 7);
  const [left] = (await owner.pool.query('SELECT count(*)::int AS count FROM events')).rows;
  expect(left.count).toBe(kept.count - 4);
  expect(await sumAll()).toEqual(before);
});
