import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { addRefusals } from '@agp/db';
import { eventually } from '@agp/testing';
import { findAuditDivergence } from '@agp/testing/events';
import { expect, onTestFinished, test } from 'vitest';
import { startWriterStack } from './support/start-writer-stack.ts';

type WriterStack = Awaited<ReturnType<typeof startWriterStack>>;

const minute = Math.floor(Date.now() / 60_000) * 60_000 - 10 * 60_000;
const makeAgent = (index: number) => `01999999-0000-7000-8000-${String(index).padStart(12, '0')}`;

/** As many counts as there are agents, 3 refusals each, of a minute that is long over; and 3 of nobody's. */
async function addCounts({ database }: WriterStack, agents: number): Promise<void> {
  const ids = [null, ...Array.from({ length: agents }, (_, index) => makeAgent(index))];
  const counted = { minute, reason: 'agent_blocked', count: 3, sourceIp: '10.0.0.1', refusedAt: minute, requests: [] };
  await addRefusals(
    database.pool,
    ids.map((agentId) => ({ ...counted, agentId })),
  );
}

async function startSealing(stack: WriterStack): Promise<ChildProcess> {
  const file = join(import.meta.dirname, 'support/seal-until-killed.ts');
  const child = fork(file, [stack.urls.writer.databaseUrl, stack.urls.writer.natsUrl, stack.urls.writer.redisUrl], {
    execArgv: [],
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await Promise.race([once(child, 'message'), once(child, 'exit')])).toEqual(['up', undefined]);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

async function readSealed({ database }: WriterStack) {
  const { rows } = await database.pool.query('SELECT seq, payload, lineage_hash FROM audit_log ORDER BY seq');
  const payloads = rows.map(({ payload }) => JSON.parse(payload));
  return { links: rows.map((row, index) => ({ ...row, id: payloads[index].id })), payloads };
}

async function expectSealedOnce(stack: WriterStack, agents: number): Promise<void> {
  const left = async () => expect(await stack.count('refusal_counts')).toBe(0);
  await eventually(left);
  const { links, payloads } = await readSealed(stack);
  expect(findAuditDivergence(links)).toBeNull();
  expect(payloads.map(({ count }) => count)).toEqual(Array(agents + 1).fill(3));
  expect(new Set(payloads.map(({ agent_id }) => agent_id)).size).toBe(agents + 1);
}

test('a writer that is killed in the middle of sealing leaves the counts as they were', async () => {
  const stack = await startWriterStack();
  await addCounts(stack, 20);
  const blocker = await stack.database.pool.connect();
  onTestFinished(() => blocker.release(true));
  await blocker.query('BEGIN; SELECT FROM audit_head FOR UPDATE');
  const child = await startSealing(stack);
  // The counts are taken out, and the transaction waits for the end of the chain.
  const waiting = async () => {
    // Not on the blocker's connection: within a transaction Postgres shows the activity that it saw first.
    const { rows } = await stack.database.pool.query(
      `SELECT count(*) AS n FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%audit_head%'`,
    );
    expect(rows[0].n).toBe(1);
  };
  await eventually(waiting);
  await kill(child);
  await blocker.query('ROLLBACK');
  expect(await stack.count('refusal_counts')).toBe(21);
  expect(await stack.count('audit_log')).toBe(0);
  await stack.start({ sealEveryMs: 5 });
  await expectSealedOnce(stack, 20);
});

test('writers that are killed one after the other while they seal lose nothing and double nothing', async () => {
  const agents = 2_000;
  const stack = await startWriterStack();
  await addCounts(stack, agents);
  let sealed = 0;
  let cut = 0;
  for (let round = 0; round < 2; round += 1) {
    const child = await startSealing(stack);
    const progressed = async () => expect(await stack.count('audit_log')).toBeGreaterThan(sealed);
    await eventually(progressed, 1);
    await kill(child);
    sealed = await stack.count('audit_log');
    const left = await stack.count('refusal_counts');
    expect(sealed + left).toBe(agents + 1);
    cut += left > 0 ? 1 : 0;
  }
  expect(cut).toBeGreaterThan(0);
  await Promise.all([stack.start({ sealEveryMs: 5 }), stack.start({ sealEveryMs: 5 })]);
  await expectSealedOnce(stack, agents);
});
