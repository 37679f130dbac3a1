import { startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../database.ts';
import { recordEvents } from './record-events.ts';

test('how a request ended is stored in columns, and what is not part of the payload only there', async () => {
  const stack = await startTestStack();
  const database = openDatabase({ url: stack.databaseUrl, applicationName: 'columns-test', pipeline: true });
  onTestFinished(async () => {
    await database.close();
    await stack[Symbol.asyncDispose]();
  });
  const { pool } = database;
  const pii_findings = [{ in: 'response' as const, message: null, type: 'email' }];
  const full = makeEvent({
    http_status: 503,
    outcome: 'failed',
    provider_request_id: 'req "1"\\, {NULL}',
    pii_scan: 'partial',
    request_id: 'my-"id"\\1',
    failure: 'reset',
    pii_findings,
  });
  const bare = makeEvent({ http_status: null, outcome: null, provider_request_id: null, pii_scan: null });
  const named = makeEvent({ provider_request_id: 'NULL', request_id: 'null' });
  await recordEvents(pool, [full, bare, named]);
  const { rows } = await pool.query(
    `
    SELECT http_status, outcome, provider_request_id, pii_scan, request_id, failure, pii_findings, payload
    FROM events ORDER BY array_position($1::text[], session_id), id`,
    [[full.session_id, bare.session_id, named.session_id]],
  );
  const { http_status, outcome, provider_request_id, pii_scan, request_id, failure } = full;
  expect(rows[0]).toMatchObject({
    http_status,
    outcome,
    provider_request_id,
    pii_scan,
    request_id,
    failure,
    pii_findings,
  });
  const nothing = { provider_request_id: null, request_id: null, failure: null, pii_findings: null };
  expect(rows[1]).toMatchObject({ ...nothing, http_status: null, outcome: null, pii_scan: null });
  expect(rows[2]).toMatchObject({ provider_request_id: 'NULL', request_id: 'null', pii_findings: null });
  for (const { payload } of rows) expect(Object.keys(JSON.parse(payload))).not.toContain('request_id');
});
