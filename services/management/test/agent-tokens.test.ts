import { createHash } from 'node:crypto';
import {
  agentTokenListSchema,
  agentTokenSchema,
  claimedNameListSchema,
  createdAgentTokenSchema,
  createdApiKeySchema,
} from '@agp/core/contracts';
import { describe, expect, test } from 'vitest';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();

async function makeToken(agentName: string, fields: object = {}) {
  const body = { agent_name: agentName, ...fields };
  const response = await management.send('POST', '/api/v1/agent-tokens', body);
  expect(response.status).toBe(201);
  return createdAgentTokenSchema.parse(await response.json());
}

const revoke = (id: string) => management.call(`/api/v1/agent-tokens/${id}`, { method: 'DELETE' });
const release = (name: string) =>
  management.call(`/api/v1/claimed-names/${encodeURIComponent(name)}`, { method: 'DELETE' });
const readName = async (name: string) =>
  (await management.read('/api/v1/claimed-names', claimedNameListSchema)).find((claimed) => claimed.name === name);

describe('agent tokens', () => {
  test('show their secret once, and only its digest is stored', async () => {
    const token = await makeToken('invoice-checker');
    expect(token.secret).toMatch(/^agp_[A-Za-z0-9_-]{43}$/);
    expect(token).toMatchObject({ agent_name: 'invoice-checker', expires_at: null });
    const { secret, ...listed } = token;
    expect(await management.read('/api/v1/agent-tokens', agentTokenListSchema)).toContainEqual(
      agentTokenSchema.parse(listed),
    );
    const { rows } = await management.database.pool.query('SELECT * FROM agent_tokens');
    expect(rows[0].secret_sha256).toEqual(createHash('sha256').update(secret).digest());
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test('are listed oldest first, several of one name too, until they are revoked', async () => {
    const tokens = [];
    for (const name of ['b', 'a', 'b']) tokens.push(await makeToken(name));
    const listed = async () =>
      (await management.read('/api/v1/agent-tokens', agentTokenListSchema)).map(({ id }) => id).slice(-tokens.length);
    expect(await listed()).toEqual(tokens.map(({ id }) => id));
    const [first] = tokens;
    const answer = await revoke(first?.id ?? '');
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(await listed()).not.toContain(first?.id);
    await management.refuse(await revoke(first?.id ?? ''), 404, 'agent token not found');
  });

  test.each([
    ['nothing', {}, /^agent_name: /],
    ['an empty name', { agent_name: '' }, /^agent_name: /],
    ['a long name', { agent_name: 'x'.repeat(129) }, /^agent_name: /],
    ['a space at the end', { agent_name: 'x ' }, /^agent_name: must be printable/],
    ['a line break', { agent_name: 'a\nb' }, /^agent_name: must be printable/],
    ['NUL', { agent_name: 'a\0' }, /^agent_name: must be printable/],
    ['a reserved name', { agent_name: 'Unnamed-10.0.0.1' }, /^agent_name: must not begin with unnamed-/],
    ['a past end', { agent_name: 'a', expires_at: '2020-01-01T00:00:00Z' }, /^expires_at: must lie in the future/],
    ['an end that is no time', { agent_name: 'a', expires_at: 'soon' }, /^expires_at: /],
    ['another field', { agent_name: 'a', secret: 'mine' }, /^secret: unknown field/],
  ])('are not made from %s', async (_what, body, error) => {
    await management.refuse(await management.send('POST', '/api/v1/agent-tokens', body), 400, error);
  });

  test.each(['tok_01k9r3v8w5f2q8m6t4n0x7y1zd', 'x', '%00', 'key_01k9r3v8w5f2q8m6t4n0x7y1zd'])(
    'answer 404 for the id %s',
    async (id) => {
      await management.refuse(await revoke(id), 404, 'agent token not found');
    },
  );

  test('and claimed names are for admin keys alone', async () => {
    const made = await management.send('POST', '/api/v1/keys', { name: 'ops', scopes: ['read', 'write'] });
    const { secret } = createdApiKeySchema.parse(await made.json());
    const headers = { authorization: `Bearer ${secret}` };
    for (const [method, path] of [
      ['GET', '/api/v1/agent-tokens'],
      ['POST', '/api/v1/agent-tokens'],
      ['DELETE', '/api/v1/agent-tokens/x'],
      ['GET', '/api/v1/claimed-names'],
      ['DELETE', '/api/v1/claimed-names/x'],
    ] as const) {
      await management.refuse(await management.call(path, { method, headers }), 403, 'API key lacks scope admin');
    }
  });
});

describe('claimed names', () => {
  test('are claimed by their first token, and stay so when it is revoked, until they are released', async () => {
    const [one, two] = [await makeToken('clause finder/ü'), await makeToken('clause finder/ü')];
    const claimed = await readName('clause finder/ü');
    expect(claimed).toMatchObject({ token_count: 2 });
    await management.refuse(
      await release('clause finder/ü'),
      409,
      'the name still has agent tokens: revoke them first',
    );
    await revoke(one.id);
    await management.refuse(await release('clause finder/ü'), 409, /revoke them first/);
    await revoke(two.id);
    expect(await readName('clause finder/ü')).toEqual({ ...claimed, token_count: 0 });
    const released = await release('clause finder/ü');
    expect([released.status, await released.text()]).toEqual([204, '']);
    expect(await readName('clause finder/ü')).toBeUndefined();
    await management.refuse(await release('clause finder/ü'), 404, 'claimed name not found');
  });

  test('an expired token keeps its name claimed until it is revoked', async () => {
    const token = await makeToken('expiring', { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    await management.database.pool.query("UPDATE agent_tokens SET expires_at = now() WHERE agent_name = 'expiring'");
    await management.refuse(await release('expiring'), 409, /revoke them first/);
    await revoke(token.id);
    expect((await release('expiring')).status).toBe(204);
  });

  test.each(['nobody', '%00', '%ff', ' ', 'x'.repeat(200)])('answer 404 for %s', async (name) => {
    const response = await management.call(`/api/v1/claimed-names/${name}`, { method: 'DELETE' });
    await management.refuse(response, 404, 'claimed name not found');
  });

  test('a release and a new token at the same time never leave a token whose name is free', async () => {
    for (let round = 0; round < 25; round += 1) {
      const name = `raced-${round}`;
      const first = await makeToken(name);
      await revoke(first.id);
      const [token, released] = await Promise.all([makeToken(name), release(name)]);
      expect([204, 409]).toContain(released.status);
      expect(await readName(name), `round ${round}`).toMatchObject({ token_count: 1 });
      expect(token.agent_name).toBe(name);
    }
  });
});
