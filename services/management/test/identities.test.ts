import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { agentOverviewSchema, agentTokenListSchema, claimedNameListSchema } from '@agp/core/contracts';
import { toPublicId, uuidOf } from '@agp/core/ids';
import { adoptedSchema, type StoredIdentity, storedIdentityListSchema, storedIdentitySchema } from '@agp/identities';
import { describe, expect, test } from 'vitest';
import { seedAgent } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
const path = '/api/v1/identities';

const rules = [{ name: 'all', agent: 'k8s.{sub}' }];
const makeDocument = (name: string, parts: object = {}) => ({
  ...{ name, issuer: `https://${name}.test`, audiences: ['agp'], keys: { discovery: true }, rules },
  ...parts,
});

async function create(name: string, parts: object = {}): Promise<StoredIdentity> {
  const response = await management.send('POST', path, makeDocument(name, parts));
  expect(response.status).toBe(201);
  return storedIdentitySchema.parse(await response.json());
}

const readVersion = async () =>
  (await management.database.pool.query('SELECT identity_version AS version FROM control')).rows[0].version as number;

/** As a proxy would have stored it. */
async function exchange(identity: StoredIdentity, agentName: string, expires = '1 hour'): Promise<string> {
  const id = randomUUIDv7();
  await management.database.pool.query(
    `INSERT INTO exchanged_tokens (id, agent_name, secret_sha256, identity_id, identity_version, expires_at)
     VALUES ($1, $2, $3, $4, $5, clock_timestamp() + $6::interval)`,
    [id, agentName, randomBytes(32), uuidOf('idp', identity.id), identity.version, expires],
  );
  return toPublicId('tok', id);
}

const listTokens = async () => await management.read('/api/v1/agent-tokens', agentTokenListSchema);

describe('identities', () => {
  test('are made, read, replaced and deleted, and each change raises what requests read', async () => {
    const before = await readVersion();
    const made = await create('cluster');
    expect(made).toMatchObject({ version: 1, text: null, identity: { algorithms: ['RS256', 'ES256'] } });
    expect(await management.read(path, storedIdentityListSchema)).toContainEqual(made);
    const response = await management.call(`${path}/${made.id}`);
    expect([response.headers.get('etag'), await response.json()]).toEqual(['"1"', made]);

    const text = 'name: cluster # ours\nissuer: https://cluster.test\naudiences: [agp]\nkeys: { discovery: true }\n';
    const yaml = (body: string, version: string) =>
      management.call(`${path}/${made.id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/yaml', 'if-match': version },
        body,
      });
    const replaced = await yaml(`${text}rules: [{ name: one, agent: "{sub}" }]\n`, '"1"');
    expect(await replaced.json()).toMatchObject({ version: 2, text: expect.stringContaining('# ours') });
    await management.refuse(await yaml(`${text}rules: []\n`, '"2"'), 400, 'line 5: rules: must hold a rule');
    await management.refuse(await yaml(text, '"1"'), 400, /^line 1: rules: is missing/);
    const late = await yaml(`${text}rules: [{ name: two, agent: "{sub}" }]\n`, '"1"');
    expect([late.status, late.headers.get('etag')]).toEqual([409, '"2"']);
    // What says the same keeps its comments.
    const again = await management.send(
      'PUT',
      `${path}/${made.id}`,
      makeDocument('cluster', { rules: [{ name: 'one', agent: '{sub}' }] }),
    );
    expect(await again.json()).toMatchObject({ version: 3, text: expect.stringContaining('# ours') });

    expect((await management.call(`${path}/${made.id}`, { method: 'DELETE' })).status).toBe(204);
    await management.refuse(await management.call(`${path}/${made.id}`), 404, 'identity not found');
    expect(await readVersion()).toBe(before + 4);
  });

  test('share no name and no issuer, and say which member is at fault', async () => {
    await create('first');
    const second = await create('second');
    const post = (body: object) => management.send('POST', path, body);
    await management.refuse(
      await post(makeDocument('first', { issuer: 'https://x.test' })),
      409,
      'name: another identity has it',
    );
    const taken = { issuer: 'https://first.test', audiences: ['other'] };
    await management.refuse(await post(makeDocument('third', taken)), 409, 'issuer: another identity has it');
    const put = (body: object) => management.send('PUT', `${path}/${second.id}`, body);
    await management.refuse(await put(makeDocument('second', taken)), 409, /^issuer: /);
    await management.refuse(await put(makeDocument('first')), 409, /^name: /);
    await management.refuse(
      await post(makeDocument('third', { algorithms: ['none'] })),
      400,
      /^algorithms\.0: must be one of/,
    );
    await management.refuse(await post(makeDocument('third', { algorithms: ['HS256'] })), 400, /^algorithms\.0: /);
    await management.refuse(await post({ ...makeDocument('third'), secret: 1 }), 400, 'secret: unknown field');
    const shared = { jwks: { keys: [{ kty: 'RSA', n: 'AQ', e: 'AQAB', d: 'AQ' }] } };
    await management.refuse(
      await post(makeDocument('third', { keys: shared })),
      400,
      'keys.jwks.keys.0: must be a public key alone',
    );
    const both = { discovery: true, jwks_uri: 'https://third.test/keys' };
    await management.refuse(
      await post(makeDocument('third', { keys: both })),
      400,
      /^keys: must be one of discovery: true, /,
    );
  });

  test('are read with read, and changed with admin alone', async () => {
    const { id } = await create('guarded');
    const key = await management.send('POST', '/api/v1/keys', { name: 'ops', scopes: ['read', 'write'] });
    const headers = { authorization: `Bearer ${((await key.json()) as { secret: string }).secret}` };
    expect((await management.call(`${path}/${id}`, { headers })).status).toBe(200);
    for (const address of [
      `POST ${path}`,
      `PUT ${path}/${id}`,
      `DELETE ${path}/${id}`,
      'POST /api/v1/agents/x/adopt',
    ]) {
      const [method = '', each = ''] = address.split(' ');
      await management.refuse(await management.call(each, { method, headers }), 403, 'API key lacks scope admin');
    }
  });

  test('that change or go take the tokens with them that were exchanged by them', async () => {
    const [changed, gone, other] = [await create('changed'), await create('gone'), await create('other')];
    const tokens: string[] = [];
    for (const each of [changed, gone, other]) tokens.push(await exchange(each, `k8s.${each.identity.name}`));
    const late = await exchange(other, 'k8s.late', '-1 second');
    const listed = async () => (await listTokens()).map(({ id }) => id);
    expect(await listTokens()).toContainEqual(
      expect.objectContaining({ id: tokens[0], agent_name: 'k8s.changed', identity: 'changed' }),
    );
    expect(await listed()).not.toContain(late);
    const update = makeDocument('changed', { audiences: ['sts'] });
    expect((await management.send('PUT', `${path}/${changed.id}`, update)).status).toBe(200);
    expect((await management.call(`${path}/${gone.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await listed()).filter((id) => tokens.includes(id))).toEqual([tokens[2]]);
    expect((await management.call(`/api/v1/agent-tokens/${tokens[2]}`, { method: 'DELETE' })).status).toBe(204);
    expect(await listed()).not.toContain(tokens[2]);
  });
});

describe('an agent that is adopted', () => {
  const adopt = (id: string, identity: string, name: string) =>
    management.send('POST', `/api/v1/agents/${id}/adopt`, { identity, name });
  const readOwner = async (id: string) =>
    (await management.read(`/api/v1/agents/${id}/overview`, agentOverviewSchema)).identity;
  const readName = async (name: string) =>
    (await management.read('/api/v1/claimed-names', claimedNameListSchema)).find((each) => each.name === name);
  const makeToken = (name: string) => management.send('POST', '/api/v1/agent-tokens', { agent_name: name });

  test('is the workload, keeps its id, its name and its tokens, and needs one from then on', async () => {
    await create('prod');
    const id = await seedAgent(management.database, 'biller');
    expect(await readOwner(id)).toBeNull();
    const before = await readVersion();
    const response = await adopt(id, 'prod', 'k8s.billing');
    const adopted = { agent_id: id, agent_name: 'biller', identity: 'prod', name: 'k8s.billing' };
    expect(adoptedSchema.parse(await response.json())).toEqual(adopted);
    expect(await readVersion()).toBe(before + 1);
    expect(await readOwner(id)).toEqual({ issuer: 'prod', name: 'k8s.billing' });
    expect(await readName('k8s.billing')).toMatchObject({ identity: 'prod', token_count: 0 });
    expect(await readName('biller')).toMatchObject({ identity: null });
    const release = (name: string) => management.call(`/api/v1/claimed-names/${name}`, { method: 'DELETE' });
    await management.refuse(await release('biller'), 409, /an adopted agent's own/);
    expect((await release('k8s.billing')).status).toBe(204);
    expect((await release('biller')).status).toBe(204);
    expect((await adopt(id, 'prod', 'k8s.billing')).status).toBe(200);

    const same = await seedAgent(management.database, 'k8s.same');
    expect((await makeToken('k8s.same')).status).toBe(201);
    expect((await adopt(same, 'prod', 'k8s.same')).status).toBe(200);
    expect(await readName('k8s.same')).toMatchObject({ identity: 'prod', token_count: 1 });
    expect(await readOwner(same)).toEqual({ issuer: 'prod', name: 'k8s.same' });
  });

  test('takes nobody else’s name, and is of one issuer', async () => {
    const [mine] = [await create('mine'), await create('theirs')];
    const [one, two] = [await seedAgent(management.database, 'one'), await seedAgent(management.database, 'two')];
    const refuse = async (id: string, identity: string, name: string, status: number, message: string | RegExp) =>
      management.refuse(await adopt(id, identity, name), status, message);
    await refuse('agt_01k9r3v8w5f2q8m6t4n0x7y1za', 'mine', 'x', 404, 'agent not found');
    await refuse(one, 'nobody', 'x', 404, 'identity not found');
    await refuse(one, 'mine', 'two', 409, /^name: another agent, issuer or agent token has it$/);
    expect((await makeToken('tokened')).status).toBe(201);
    await refuse(one, 'mine', 'tokened', 409, /^name: /);
    await refuse(one, 'mine', 'unnamed-1', 400, /^name: must be a name of an agent/);
    expect((await adopt(one, 'mine', 'w.one')).status).toBe(200);
    await refuse(one, 'theirs', 'w.other', 409, 'the agent is w.one of mine already');
    await refuse(one, 'mine', 'w.another', 409, 'the agent is w.one of mine already');
    await refuse(two, 'mine', 'w.one', 409, /^name: /);
    await refuse(two, 'theirs', 'w.one', 409, /^name: /);

    // An issuer that is gone has nobody.
    await management.call(`${path}/${mine.id}`, { method: 'DELETE' });
    expect(await readOwner(one)).toEqual({ issuer: '', name: 'w.one' });
    expect(await readName('w.one')).toMatchObject({ identity: '' });
    await refuse(two, 'theirs', 'w.one', 409, /^name: /);
    expect((await adopt(one, 'theirs', 'w.one-2')).status).toBe(200);
    expect(await readOwner(one)).toEqual({ issuer: 'theirs', name: 'w.one-2' });
    expect(await readName('w.one')).toBeUndefined();
  });
});
