import { randomUUIDv7 } from 'node:crypto';
import { type BudgetDefinition, budgetSchema, findCharges, prepareHeld } from '@agp/budgets';
import { toPublicId } from '@agp/core/ids';
import { startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { removeOldEvents } from '../maintain/retention.ts';
import { readBudgets } from '../record-events/budget-spend.ts';
import { recordEvents } from '../record-events/record-events.ts';
import { createBudget, deleteBudget, readBudget, readUsed, replaceBudget, type StoredBudgetRow } from './budgets.ts';
import { takeSnapshot } from './count-budget.ts';
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

/** As management changes one: the snapshot is taken before the commit. */
async function change(make: () => Promise<StoredBudgetRow>): Promise<StoredBudgetRow> {
  const row = await make();
  if (row.active_epoch === row.epoch) return row;
  const snapshot = await takeSnapshot(management.db);
  await snapshot.count(management.pool, row);
  return (await readBudget(management.db, row.id)) as StoredBudgetRow;
}

async function readUse(): Promise<number[]> {
  const { version, budgets } = await readBudgets(management.pool);
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
    change(async () => (await createBudget(management.db, define(over), 10)) as StoredBudgetRow);
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
    change(async () => {
      const replaced = await replaceBudget(management.db, budget.id, define(over));
      if (typeof replaced !== 'object') throw new Error(String(replaced));
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
  await deleteBudget(management.db, budget.id);
  expect(await readUse()).toEqual([]);
  await removeOldEvents(owner.db, new Date(), 184);
  const { rows } = await owner.pool.query('SELECT FROM budget_spend');
  expect(rows).toEqual([]);
});
