import { request as httpRequest } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { AzureOpenAI } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeToken, revokeToken } from './support/admin-calls.ts';
import {
  type IdentitySystem,
  neverIssued,
  refusedForToken,
  replicas,
  startIdentitySystem,
} from './support/identity-system.ts';

let identity: IdentitySystem;

beforeAll(async () => {
  identity = await startIdentitySystem('token');
});
afterAll(() => identity?.[Symbol.asyncDispose]());

/** Asks before it sends its body, as curl does with a large one. */
function sendWithContinue(proxy: number, headers: Record<string, string>): Promise<{ status: number; asked: boolean }> {
  return new Promise((resolve, reject) => {
    let asked = false;
    const request = httpRequest(
      `${identity.system.proxies[proxy]?.url}/openai/v1/chat/completions`,
      { method: 'POST', headers: { ...headers, expect: '100-continue', 'content-length': '1000' } },
      (response) => {
        response.resume().once('end', () => resolve({ status: response.statusCode ?? 0, asked }));
        request.destroy();
      },
    );
    request.on('continue', () => {
      asked = true;
    });
    request.on('error', (error) => {
      if (!request.destroyed) reject(error);
    });
    request.flushHeaders();
  });
}

test('a request without a token, or with one that is none, is refused before its body is read, and registers nobody', async () => {
  await identity.expectRefused({});
  await identity.expectRefused({ 'x-agent-name': 'somebody' });
  await identity.expectRefused({}, '/agents/somebody/openai/v1/models');
  await identity.expectRefused({ authorization: `Bearer ${neverIssued}` });
  await identity.expectRefused({ 'x-agent-token': neverIssued, 'x-agent-name': 'somebody' });
  await identity.expectRefused({ 'x-agent-token': 'sk-fake' });
  expect(await sendWithContinue(0, { 'x-agent-name': 'somebody' })).toEqual({ status: 401, asked: false });
  expect(await sendWithContinue(1, { 'x-api-key': neverIssued })).toEqual({ status: 401, asked: false });
  expect(await identity.countAgents('somebody')).toBe(0);
});

test('an SDK tells not to try again, and raises its own error', async () => {
  const openai = new OpenAI({ baseURL: `${identity.system.proxies[0]?.url}/openai/v1`, apiKey: neverIssued });
  const before = identity.provider.requests.length;
  await expect(openai.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  expect(identity.provider.requests.length).toBe(before);
});

test('a token works from the moment it is made, also where it was tried before, on every replica', async () => {
  await identity.expectRefused({ 'x-agent-token': neverIssued });
  // The same digest, issued now: what was unknown a moment ago must not be remembered as such.
  const token = await makeToken(identity.system, 'late');
  await identity.system.database.pool.query(
    'UPDATE agent_tokens SET secret_sha256 = sha256($1) WHERE agent_name = $2',
    [Buffer.from(neverIssued), 'late'],
  );
  const agentId = await identity.expectForwarded({ 'x-agent-token': neverIssued });
  expect(await identity.readName(agentId)).toBe('late');
  await revokeToken(identity.system, token.id);
  await identity.expectRefused({ 'x-agent-token': neverIssued });
});

test('each official SDK sends the token as its key: the agent is that of the token, and the provider sees no token', async () => {
  const { secret, agent_name: name } = await makeToken(identity.system, 'sdk agent ü');
  const url = identity.system.proxies[0]?.url ?? '';
  const before = identity.provider.requests.length;
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const calls = {
    openai: () =>
      new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: secret, maxRetries: 0 }).chat.completions
        .create({ model: 'gpt-5', messages })
        .asResponse(),
    azure: () =>
      new AzureOpenAI({
        baseURL: `${url}/openai/openai`,
        apiKey: secret,
        apiVersion: '2024-10-21',
        maxRetries: 0,
      }).chat.completions
        .create({ model: 'gpt-5', messages })
        .asResponse(),
    anthropic: () =>
      new Anthropic({ baseURL: `${url}/anthropic`, apiKey: secret, maxRetries: 0 }).messages
        .create({ model: 'claude-opus-4-5', max_tokens: 10, messages })
        .asResponse(),
    'anthropic with a bearer token': () =>
      new Anthropic({ baseURL: `${url}/anthropic`, apiKey: null, authToken: secret, maxRetries: 0 }).messages
        .create({ model: 'claude-opus-4-5', max_tokens: 10, messages })
        .asResponse(),
    gemini: async () => {
      const gemini = new GoogleGenAI({ apiKey: secret, httpOptions: { baseUrl: `${url}/gemini` } });
      const answer = await gemini.models.generateContent({ model: 'gemini-2.5-flash', contents: 'Hello' });
      return new Response(null, { headers: answer.sdkHttpResponse?.headers ?? {} });
    },
  };
  const ids = new Set<string | null>();
  for (const [sdk, call] of Object.entries(calls)) {
    const { status, headers } = await call();
    expect([sdk, status]).toEqual([sdk, 200]);
    ids.add(headers.get('x-agent-id'));
  }
  expect(ids.size).toBe(1);
  expect(await identity.readName([...ids][0] ?? '')).toBe(name);
  const received = identity.provider.requests.slice(before);
  expect(received).toHaveLength(5);
  for (const { target, rawHeaders } of received) expect(`${target} ${rawHeaders.join(' ')}`).not.toContain('agp_');
});

test('a token anywhere else never reaches the provider, and every other byte of the query does', async () => {
  const { secret } = await makeToken(identity.system, 'everywhere');
  await identity.expectForwarded(
    {
      'x-agent-token': secret,
      'x-api-key': secret,
      'x-other-gateway': `token=${secret}`,
      authorization: 'Bearer sk-fake',
    },
    `/openai/v1/models?a=%2e%2E&key=${secret}&&b=+&x=${secret}&z`,
  );
  const [last] = identity.provider.requests.slice(-1);
  expect(last?.target).toBe('/v1/models?a=%2e%2E&&b=+&z');
  expect(last?.rawHeaders.join(' ')).not.toContain('agp_');
  expect(last?.headers.authorization).toBe('Bearer sk-fake');
  for (const [headers, path] of [
    [{ 'x-agent-name': secret }, undefined],
    [{ 'x-agent-token': secret }, `/openai/v1/${secret}/models`],
    [{}, `/agents/${secret}/openai/v1/models`],
  ] as const) {
    expect((await identity.send(0, headers, path)).status).toBe(400);
  }
  expect(await identity.countAgents(secret)).toBe(0);
});

test('a name beside the token must be that of the token, and two tokens are one too many', async () => {
  const [one, two] = [await makeToken(identity.system, 'one'), await makeToken(identity.system, 'two')];
  const agentId = await identity.expectForwarded({ 'x-agent-token': one.secret });
  expect(await identity.expectForwarded({ 'x-agent-token': one.secret, 'x-agent-name': 'one' })).toBe(agentId);
  expect(await identity.expectForwarded({ 'x-agent-token': one.secret }, '/agents/one/openai/v1/models')).toBe(agentId);
  const wrong: [Record<string, string>, string?][] = [
    [{ 'x-agent-token': one.secret, 'x-agent-name': 'two' }],
    [{ 'x-agent-token': one.secret }, '/agents/two/openai/v1/models'],
    [{ 'x-agent-token': one.secret, authorization: `Bearer ${two.secret}` }],
  ];
  for (const [headers, path] of wrong) expect((await identity.send(0, headers, path)).status).toBe(400);
  expect(await identity.countAgents('two')).toBe(0);
});

test('a token that is revoked or has expired fails on the next request of every replica; others of its name go on', async () => {
  const [one, two] = [await makeToken(identity.system, 'rotating'), await makeToken(identity.system, 'rotating')];
  const agentId = await identity.expectForwarded({ 'x-agent-token': one.secret });
  expect(await identity.expectForwarded({ 'x-agent-token': two.secret })).toBe(agentId);
  for (let round = 0; round < 10; round += 1) {
    const token = await makeToken(identity.system, 'rotating');
    await identity.expectForwarded({ 'x-agent-token': token.secret });
    await revokeToken(identity.system, token.id);
    await identity.expectRefused({ 'x-agent-token': token.secret });
  }
  await identity.system.database.pool.query(
    'UPDATE agent_tokens SET expires_at = clock_timestamp() WHERE secret_sha256 = sha256($1)',
    [Buffer.from(one.secret)],
  );
  await identity.expectRefused({ 'x-agent-token': one.secret });
  expect(await identity.expectForwarded({ 'x-agent-token': two.secret })).toBe(agentId);
});

test('a token that had expired before its agent ever came registers nobody', async () => {
  const token = await makeToken(identity.system, 'never came');
  await identity.system.database.pool.query(
    "UPDATE agent_tokens SET expires_at = now() WHERE agent_name = 'never came'",
  );
  await identity.expectRefused({ 'x-agent-token': token.secret });
  expect(await identity.countAgents('never came')).toBe(0);
});

test('a blocked agent stays blocked under whatever name it gives itself', async () => {
  const { secret } = await makeToken(identity.system, 'blocked one');
  const agentId = await identity.expectForwarded({ 'x-agent-token': secret });
  await identity.system.api(`/api/v1/agents/${agentId}`, {
    method: 'PUT',
    body: JSON.stringify({ status: 'blocked' }),
  });
  for (const proxy of replicas) {
    expect((await identity.send(proxy, { 'x-agent-token': secret })).error).toMatch(/^agent blocked since /);
    expect((await identity.send(proxy, { 'x-agent-token': secret, 'x-agent-name': 'another' })).status).toBe(400);
    expect(await identity.send(proxy, { 'x-agent-name': 'another' })).toEqual(refusedForToken);
  }
});

test('a token in another spelling reaches no provider and no record, wherever it stands', async () => {
  const { secret } = await makeToken(identity.system, 'speller');
  const shown = { 'x-agent-token': secret };
  const rest = secret.slice(1);
  const escaped = `%61${rest}`;
  const url = identity.system.proxies[0]?.url ?? '';
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, { headers: { ...shown, ...headers } });
    return { status: answer.status, text: await answer.text() };
  };
  const before = identity.provider.requests.length;
  for (const [written, why] of [
    [escaped, 'must not escape letters, digits or - . _ ~'],
    [`x${secret}`, 'must not hold an agent token in its path'],
  ])
    expect(await ask(`/openai/v1/files/${written}`)).toEqual({
      status: 400,
      text: JSON.stringify({
        error: {
          message: `governance proxy: request target ${why}`,
          type: 'invalid_request_error',
          code: 'malformed_request',
        },
      }),
    });
  expect((await ask('/openai/v1/models', { 'x-session-id': `ses_${secret}` })).status).toBe(400);
  expect(identity.provider.requests.length).toBe(before);

  const headers = {
    'x-parameter': `foo=${secret};x`,
    'x-glued': `x${secret}y`,
    'x-escaped': escaped,
    'x-json': JSON.stringify({ token: secret }),
    [secret]: 'a name',
  };
  await ask(`/openai/v1/models?a=${escaped}&${escaped}=c&d=x${secret}&e=f`, headers);
  const received = identity.provider.requests.slice(before);
  expect(received.map(({ target }) => target)).toEqual(['/v1/models?e=f']);
  const names = Object.keys(received[0]?.headers ?? {});
  for (const name of Object.keys(headers)) expect(names).not.toContain(name.toLowerCase());
  const { rows } = await identity.system.database.pool.query('SELECT payload FROM events WHERE payload LIKE $1', [
    `%${rest}%`,
  ]);
  expect(rows).toEqual([]);
});

test('hundreds of tokens that were never issued keep no valid one from working', async () => {
  const { secret } = await makeToken(identity.system, 'undisturbed');
  let left = 400;
  const guess = async (proxy: number) => {
    for (; left > 0; left -= 1)
      expect(await identity.send(proxy, { 'x-agent-token': `${neverIssued}${left}` })).toEqual(refusedForToken);
  };
  const guessing = Promise.all(Array.from({ length: 8 }, (_, worker) => guess(worker % 2)));
  let valid = 0;
  for (; left > 0; valid += 2) await identity.expectForwarded({ 'x-agent-token': secret });
  await guessing;
  expect(valid).toBeGreaterThan(2);
});
