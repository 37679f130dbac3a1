import { type Database, makePartitions, openDatabase, sealRefusals } from '@agp/db';
import { startTestStack } from '@agp/testing';
import { beforeAll, expect, test } from 'vitest';
import { readSnippets } from './read-snippets.ts';

let owner: Database;
let grafana: Database;
let holder: Database;

beforeAll(async () => {
  const stack = await startTestStack();
  const open = (url: string) =>
    openDatabase({ url, applicationName: 'locks-test', maxConnections: 1, statementTimeoutMs: 500 });
  owner = open(stack.databaseUrl);
  grafana = open(stack.urls.grafana.databaseUrl);
  holder = open(stack.urls.writer.databaseUrl);
  return async () => {
    for (const database of [owner, grafana, holder]) await database.close();
    await stack[Symbol.asyncDispose]();
  };
});

/** The look of a runbook at who holds advisory locks, as Grafana. */
async function look(page: string): Promise<unknown[]> {
  const statements = readSnippets(`docs/runbooks/${page}.md`, 'sql').filter((text) => text.includes('pg_locks'));
  expect(statements).toHaveLength(1);
  return (await grafana.pool.query(statements[0] ?? '')).rows;
}

const byWriter = { pid: expect.any(Number), usename: 'agp_writer', application_name: 'locks-test' };

test('the page about sealing shows who stops it with its lock, and nobody once it goes on', async () => {
  await owner.pool.query(
    `INSERT INTO refusal_counts VALUES (now() - interval '1 hour', NULL, 'paused', 1, 's', now())`,
  );
  const [text = ''] = readSnippets('docs/runbooks/agp-audit-sealing-behind.md', 'sql').slice(-1);
  const [, key] = /= (\d+);$/m.exec(text) ?? [];
  await holder.pool.query('SELECT pg_advisory_lock($1)', [key]);
  expect(await sealRefusals(owner.db)).toBe(0);
  expect(await look('agp-audit-sealing-behind')).toEqual([byWriter]);
  await holder.pool.query('SELECT pg_advisory_unlock_all()');
  expect(await look('agp-audit-sealing-behind')).toEqual([]);
  expect(await sealRefusals(owner.db)).toBe(1);
});

test('the page about partitions shows who stops them from being made', async () => {
  const later = new Date('2040-01-01');
  await holder.pool.query(`SELECT pg_advisory_lock(hashtext('agp:make-partitions'))`);
  await expect(makePartitions(owner.db, later, 0)).rejects.toMatchObject({ code: '57014' });
  expect(await look('agp-partitions-running-out')).toEqual([{ lock: expect.anything(), granted: true, ...byWriter }]);
  await holder.pool.query('SELECT pg_advisory_unlock_all()');
  expect(await look('agp-partitions-running-out')).toEqual([]);
  expect(await makePartitions(owner.db, later, 0)).toHaveLength(2);
});
