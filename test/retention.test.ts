import { spawnSync } from 'node:child_process';
import { randomUUIDv7 } from 'node:crypto';
import { join } from 'node:path';
import { auditListSchema, type LineageVerdict, lineageRemovalsSchema, lineageSchema } from '@agp/core/contracts';
import { firstUuidAt, toPublicId } from '@agp/core/ids';
import { type Database, makePartitions, openDatabase, recordEvents } from '@agp/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeEvent } from './bench/writer-events.ts';
import { startCli } from './cli/run-cli.ts';
import { readSnippets } from './docs/read-snippets.ts';
import { findDivergence } from './lineage-vectors/verify-chain.ts';
import { type System, startSystem } from './start-system.ts';
import { workspaceFolder } from './workspace/run-tool.ts';

const dayMs = 86_400_000;
const now = Date.now();
const agentId = toPublicId('agt', randomUUIDv7());
let system: System;
let writing: Database;

beforeAll(async () => {
  system = await startSystem({ proxies: 0 });
  writing = openDatabase({ url: system.stack.databaseUrl, applicationName: 'test', maxConnections: 1, pipeline: true });
  const owner = openDatabase({
    url: system.stack.urls.migrator.databaseUrl,
    applicationName: 'test',
    maxConnections: 1,
  });
  for (const days of [20, 40]) await makePartitions(owner.db, new Date(now - days * dayMs), 2);
  await owner.close();
});
afterAll(async () => {
  await writing?.close();
  await system?.[Symbol.asyncDispose]();
});

async function record(sessionId: string, ages: readonly number[]): Promise<void> {
  for (const age of ages) {
    const ms = now - age * dayMs;
    const id = toPublicId('evt', firstUuidAt(ms).slice(0, 13) + randomUUIDv7().slice(13));
    const event = makeEvent({ id, session_id: sessionId, agent_id: agentId, timestamp: new Date(ms).toISOString() });
    await recordEvents(writing.pool, [event]);
  }
}

function maintain(retentionDays: string) {
  const file = join(workspaceFolder, 'packages/db/src/commands/maintain.ts');
  const env = { DATABASE_URL: system.stack.urls.migrator.databaseUrl, RETENTION_DAYS: retentionDays };
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', env });
  return { status, stdout, stderr };
}

const verify = (id: string) => system.api<LineageVerdict>(`/api/v1/lineage/${id}/verify`);
const runCli = (...args: string[]) =>
  startCli(args, { AGP_URL: system.management.url, AGP_API_KEY: system.apiKey }).ended;
const runVerify = (id: string, ...more: string[]) => runCli('sessions', 'verify', id, ...more);

/** The chain as anybody downloads it. */
async function download(id: string) {
  const { entries } = lineageSchema.parse(await system.api(`/api/v1/lineage/${id}`));
  const { removed } = lineageRemovalsSchema.parse(await system.api(`/api/v1/lineage/${id}/removed`));
  return { entries, removed };
}

test('what retention removed is told from what somebody else did, by the API, the command line and the audit log', async () => {
  await record('ses_long', [35, 34, 8, 3, 0.1]);
  await record('ses_old', [36, 35]);
  await record('ses_new', [2, 1]);
  const ids = ['ses_long', 'ses_old', 'ses_new'];
  const before = await Promise.all(ids.map(verify));
  expect(before.map(({ valid, length }) => [valid, length])).toEqual([
    [true, 5],
    [true, 2],
    [true, 2],
  ]);

  expect(maintain('6')).toMatchObject({ status: 1, stderr: expect.stringContaining('RETENTION_DAYS') });
  expect(maintain('0')).toMatchObject({ status: 0, stdout: 'all partitions of the coming weeks exist\n' });
  expect(await Promise.all(ids.map(verify))).toEqual(before);
  const done = maintain('21');
  expect(done).toMatchObject({ status: 0, stderr: '' });
  expect(done.stdout).toMatch(/removed events_\d{4}_\d\d_\d\d with [1-4] events/);

  // The verdict stays what it was: length and head are the chain's, with what was removed.
  expect(await Promise.all(ids.map(verify))).toEqual(before);
  const long = await download('ses_long');
  expect(long.entries.map(({ seq }) => seq)).toEqual([2, 3, 4]);
  expect(findDivergence('ses_long', long.entries, long.removed)).toBeNull();
  expect((await download('ses_old')).entries).toEqual([]);
  expect((await download('ses_new')).removed).toEqual([]);
  const unknown = await fetch(`${system.management.url}/api/v1/lineage/ses_unknown/removed`, {
    headers: { authorization: `Bearer ${system.apiKey}` },
  });
  expect(unknown.status).toBe(404);

  expect(await runVerify('ses_long')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/5 events, 2 of them removed for their age\nhead sha256:/),
  });
  const head = String(before[1]?.head);
  expect(await runVerify('ses_old', '--head', head)).toMatchObject({ code: 0, stdout: expect.stringContaining(head) });
  expect(await runVerify('ses_new')).toMatchObject({ code: 0, stdout: expect.stringMatching(/: 2 events\n/) });

  const entries = auditListSchema.parse(await system.api('/api/v1/audit?action=events.retention'));
  const told = entries.reduce((sum, entry) => sum + Number(entry.before?.events), 0);
  expect(told).toBe(4);
  expect(await runCli('audit', 'verify')).toMatchObject({ code: 0 });
  const [sql = ''] = readSnippets('docs/lineage.md', 'sql');
  const account = async () => (await system.database.pool.query(sql)).rows[0];
  expect(await account()).toEqual({ gone: 4, told: 4 });

  // Somebody deletes an event: it is missing, whatever else was removed.
  const { pool } = system.database;
  await pool.query(`DELETE FROM events WHERE session_id = 'ses_long' AND seq = 2`);
  expect(await verify('ses_long')).toMatchObject({ valid: false, first_divergence: 2 });
  expect(await runVerify('ses_long')).toMatchObject({ code: 1, stderr: expect.stringContaining('diverges at seq 2') });
  // And makes up an anchor for it: the chain looks as after retention, and the log does not know of it.
  await pool.query(`INSERT INTO lineage_anchors VALUES ('ses_long', 2, 2, $1)`, [long.entries[0]?.lineage_hash]);
  expect(await verify('ses_long')).toMatchObject({ valid: true });
  expect(await account()).toEqual({ gone: 5, told: 4 });
  // The end of a chain that is cut is seen too, and an anchor that says otherwise than the head.
  await pool.query(`DELETE FROM events WHERE session_id = 'ses_long' AND seq = 4`);
  expect(await verify('ses_long')).toMatchObject({ valid: false, first_divergence: 4 });
  await pool.query(`INSERT INTO lineage_anchors VALUES ('ses_long', 4, 4, $1)`, [long.entries[0]?.lineage_hash]);
  expect(await verify('ses_long')).toMatchObject({ valid: false });
}, 60_000);
