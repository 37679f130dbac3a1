import { spawnSync } from 'node:child_process';
import { randomUUIDv7 } from 'node:crypto';
import { join } from 'node:path';
import { auditListSchema, type LineageVerdict, lineageRemovalsSchema, lineageSchema } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { type Database, makePartitions, openDatabase, recordEvents } from '@agp/db';
import { runCommandWithin } from '@agp/testing';
import { findDivergence, makeEventAt } from '@agp/testing/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli as runArgs } from '../cli/run-cli.ts';
import { type System, startSystem } from '../system/start-system.ts';
import { workspaceFolder } from '../workspace/run-tool.ts';

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
    await recordEvents(writing.pool, [makeEventAt(ms, { session_id: sessionId, agent_id: agentId })]);
  }
}

const maintain = (retentionDays: string) =>
  runCommandWithin(join(workspaceFolder, 'packages/operator/src/commands/maintain.ts'), [], {
    DATABASE_URL: system.stack.urls.migrator.databaseUrl,
    RETENTION_DAYS: retentionDays,
  });

const verify = (id: string) => system.api<LineageVerdict>(`/api/v1/lineage/${id}/verify`);
const runCli = (...args: string[]) => runArgs(args, { AGP_URL: system.management.url, AGP_API_KEY: system.apiKey });
const runVerify = (id: string, ...more: string[]) => runCli('sessions', 'verify', id, ...more);

/** What the page's script for the audit log says of all removals, and how it ends. */
async function checkRemovals(): Promise<[number | null, string]> {
  const script = join(workspaceFolder, 'docs/lineage/verify-audit.mjs');
  const [chain, removals] = ['/api/v1/audit/chain', '/api/v1/lineage/removals'].map((path) => system.api(path));
  const input = `${JSON.stringify(await chain)}\n${JSON.stringify(await removals)}\n`;
  const { status, stdout } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    input,
  });
  return [status, stdout];
}

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

  expect(await maintain('6')).toMatchObject({ status: 1, stderr: expect.stringContaining('RETENTION_DAYS') });
  expect(await maintain('0')).toMatchObject({ status: 0, stdout: 'all partitions of the coming weeks exist\n' });
  expect(await Promise.all(ids.map(verify))).toEqual(before);
  const done = await maintain('21');
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
  expect(await runVerify('ses_old')).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining(`2 events were removed for their age; head ${head}`),
  });
  expect(await runVerify('ses_old', '--head', head)).toMatchObject({ code: 3 });

  // What begins before it says since when events are kept.
  const noted = async (...more: string[]) => (await runCli('events', 'list', '--csv', ...more)).stderr;
  const [, kept] = /kept since ([-\d]+): /.exec(await noted()) ?? [];
  expect(Date.parse(kept ?? '')).toBeGreaterThan(now - 35 * dayMs);
  expect(await noted('--from', '60d')).toContain(`kept since ${kept}`);
  expect(await noted('--from', '1d')).not.toContain('kept since');
  expect(await runVerify('ses_new')).toMatchObject({ code: 0, stdout: expect.stringMatching(/: 2 events\n/) });

  const entries = auditListSchema.parse(await system.api('/api/v1/audit?action=events.retention'));
  const told = entries.reduce((sum, entry) => sum + Number(entry.before?.events), 0);
  expect(told).toBe(4);
  expect(await runCli('audit', 'verify')).toMatchObject({ code: 0 });
  expect(await checkRemovals()).toEqual([
    0,
    expect.stringMatching(/^audit log: .+\n\d+ removals, [2-4] anchors: all as they were made\n$/),
  ]);

  // Somebody deletes an event: it is missing, whatever else was removed.
  const { pool } = system.database;
  await pool.query(`DELETE FROM events WHERE session_id = 'ses_long' AND seq = 2`);
  expect(await verify('ses_long')).toMatchObject({ valid: false, first_divergence: 2 });
  expect(await runVerify('ses_long')).toMatchObject({ code: 1, stderr: expect.stringContaining('diverges at seq 2') });
  // And makes up an anchor for it: the chain looks as after retention, and the log does not know of it.
  await pool.query(`INSERT INTO lineage_anchors VALUES ('ses_long', 2, 2, $1)`, [long.entries[0]?.lineage_hash]);
  expect(await verify('ses_long')).toMatchObject({ valid: true });
  expect(await checkRemovals()).toEqual([1, expect.stringContaining('anchors of no removal: 1')]);
  expect(await runCli('audit', 'verify')).toMatchObject({ code: 1, stderr: expect.stringContaining('anchors') });
  // The end of a chain that is cut is seen too, and an anchor that says otherwise than the head.
  await pool.query(`DELETE FROM events WHERE session_id = 'ses_long' AND seq = 4`);
  expect(await verify('ses_long')).toMatchObject({ valid: false, first_divergence: 4 });
  await pool.query(`INSERT INTO lineage_anchors VALUES ('ses_long', 4, 4, $1)`, [long.entries[0]?.lineage_hash]);
  expect(await verify('ses_long')).toMatchObject({ valid: false });
});

test('the owner of the tables cannot swap what retention removed for events that are still young', async () => {
  const { pool } = system.database;
  await pool.query('TRUNCATE lineage_anchors, audit_log');
  await pool.query(`UPDATE audit_head SET length = 0, hash = 'genesis'`);
  // At one time, so that they are of one week whatever day it is.
  await record('ses_victim', [35, 35]);
  await record('ses_alive', [3, 2, 1]);
  expect(await maintain('21')).toMatchObject({ status: 0 });
  expect(await checkRemovals()).toEqual([0, expect.stringContaining('1 anchors')]);
  const account = async () => {
    const { rows } = await pool.query(`
      SELECT (SELECT sum(last_seq - first_seq + 1) FROM lineage_anchors)::int AS gone,
        (SELECT sum((payload::jsonb #>> '{before,events}')::bigint) FROM audit_log WHERE action = 'events.retention')::int AS told`);
    return rows[0];
  };
  expect(await account()).toEqual({ gone: 2, told: 2 });

  // All that is left of a session that is gone whole makes room for the first events of one that lives.
  const [, second] = (await download('ses_alive')).entries;
  const [stolen] = (await pool.query(`DELETE FROM lineage_anchors WHERE session_id = 'ses_victim' RETURNING removal`))
    .rows;
  await pool.query(`DELETE FROM lineage_heads WHERE session_id = 'ses_victim'`);
  await pool.query(`DELETE FROM sessions WHERE id = 'ses_victim'`);
  await pool.query(`DELETE FROM events WHERE session_id = 'ses_alive' AND seq < 2`);
  await pool.query('INSERT INTO lineage_anchors VALUES ($1, 0, 1, $2, $3)', [
    'ses_alive',
    second?.lineage_hash,
    stolen?.removal,
  ]);

  // The chain and the numbers look as after retention; the root does not.
  expect(await verify('ses_alive')).toMatchObject({ valid: true, length: 3 });
  expect(await account()).toEqual({ gone: 2, told: 2 });
  expect(await checkRemovals()).toEqual([1, expect.stringContaining('not as it was made: rem_')]);
  expect(await runCli('audit', 'verify')).toMatchObject({ code: 1, stderr: expect.stringContaining('root') });
});
