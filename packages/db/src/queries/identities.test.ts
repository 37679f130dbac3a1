import { randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto';
import { eventually, startTestStack } from '@agp/testing';
import type { Pool } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { createDocument } from './documents.ts';
import { addExchangedToken, registerWorkload } from './identities.ts';
import { adoptAgent } from './identity-changes.ts';

let proxy: Database;
let owner: Database;
let identityId: string;

beforeAll(async () => {
  const stack = await startTestStack();
  proxy = openDatabase({ url: stack.urls.proxy.databaseUrl, applicationName: 'test' });
  owner = openDatabase({ url: stack.urls.migrator.databaseUrl, applicationName: 'test' });
  const made = await createDocument(
    owner.db,
    'identity',
    { document: { name: 'one', issuer: 'https://one' }, text: null },
    { most: 1, team: null },
  );
  identityId = (made as { id: string }).id;
  return async () => {
    await Promise.all([proxy.close(), owner.close()]);
    await stack[Symbol.asyncDispose]();
  };
});

const claimOf = (name: string) => ({ name, identityId, workload: `["${name}"]` });
const make = (name: string, identityVersion: number) => ({
  ...{ id: randomUUIDv7(), name, sourceIp: '10.0.0.1', metadata: {}, claim: claimOf(name), identityVersion },
});

test('an exchange reads no more of the tokens than it stores and clears away, and stores none without its claim', async () => {
  expect(await registerWorkload(proxy.pool, make('many', 1))).not.toBeNull();
  await owner.pool.query(
    `INSERT INTO exchanged_tokens (id, agent_name, secret_sha256, identity_id, identity_version, expires_at)
     SELECT gen_random_uuid(), 'many', sha256(number::text::bytea), $1, 1, now() + interval '1 hour' * sign(number - 500)
     FROM generate_series(1, 20000) AS number`,
    [identityId],
  );
  await owner.pool.query('ANALYZE exchanged_tokens');
  const token = {
    ...{ id: randomUUID(), agentName: 'many', secretSha256: randomBytes(32), claim: claimOf('many'), issuerVersion: 1 },
    expiresAt: new Date(),
  };
  let plan = '';
  const explaining = {
    async query({ text, values }: { text: string; values: unknown[] }) {
      const { rows } = await owner.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return { rows };
    },
  };
  await addExchangedToken(explaining as unknown as Pool, token);
  expect(plan).toContain('exchanged_tokens_by_end');
  expect(plan).not.toContain('Seq Scan on exchanged_tokens');
  expect(await addExchangedToken(proxy.pool, { ...token, claim: { ...token.claim, workload: '[]' } })).toBe(false);
  expect(await addExchangedToken(proxy.pool, token)).toBe(true);
});

test('an adoption never takes the name of a workload whose first request came meanwhile', async () => {
  const { rows } = await owner.pool.query<{ id: string; version: number }>(
    `INSERT INTO agents (id, name, source_ip) VALUES ($1, 'old', '10.0.0.1')
     RETURNING id, (SELECT identity_version FROM control) AS version`,
    [randomUUIDv7()],
  );
  const [old] = rows as [(typeof rows)[0] & object];
  const client = await owner.pool.connect();
  await client.query('BEGIN');
  expect(await registerWorkload(client as unknown as Pool, make('raced', old.version))).not.toBeNull();
  const adopted = adoptAgent(owner.db, old.id, { identity: 'one', name: 'raced' });
  await eventually(async () => {
    const waiting = await owner.pool.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%claimed_names%'",
    );
    expect(waiting.rows.length).toBe(1);
  });
  await client.query('COMMIT');
  client.release();
  expect(await adopted).toBe('name_of_another_agent');
  const claimed = await owner.pool.query("SELECT workload, agent_id FROM claimed_names WHERE name = 'raced'");
  expect(claimed.rows).toEqual([{ workload: '["raced"]', agent_id: null }]);
});
