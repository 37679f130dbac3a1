import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownSecrets } from '@agp/core/contracts';
import { errorTable } from '@agp/core/errors';
import { refusalText } from '@agp/testing';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeToken } from '../control/support/admin-calls.ts';
import { type System, startSystem } from '../system/start-system.ts';
import { anthropicCalls, geminiCalls, openaiCalls } from './sdks/cases.ts';

const keyOf = (provider: string) => `fake-key-of-${provider}-000`;
let provider: FakeProvider;
let system: System;
let folder: string;
let agentToken: string;

beforeAll(async () => {
  provider = await startFakeProvider(answerCanned());
  folder = mkdtempSync(join(tmpdir(), 'agp-provider-keys-'));
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, `${keyOf('files')}\n`);
  const providersFile = join(folder, 'providers.json');
  const limited = { api: 'openai', base_url: `${provider.url}/v1`, api_key_file: keyFile };
  writeFileSync(
    providersFile,
    JSON.stringify([
      { id: 'files', ...limited, allow_paths: ['GET /files*', '/rerank', 'GET /v1/batches/*', '/v1/realtime/*'] },
      { id: 'plain', api: 'openai', base_url: provider.url },
    ]),
  );
  system = await startSystem({
    environment: {
      AGENT_IDENTITY: 'token',
      // Keys may then be used from everywhere, with tokens.
      HOST: '0.0.0.0',
      PROVIDERS_FILE: providersFile,
      PROVIDER_OPENAI_URL: provider.url,
      PROVIDER_OPENAI_API_KEY: keyOf('openai'),
      PROVIDER_ANTHROPIC_URL: provider.url,
      PROVIDER_ANTHROPIC_API_KEY: keyOf('anthropic'),
      PROVIDER_GEMINI_URL: provider.url,
      PROVIDER_GEMINI_API_KEY: keyOf('gemini'),
    },
  });
  agentToken = (await makeToken(system, 'governed')).secret;
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
  rmSync(folder, { recursive: true });
});

const proxyUrl = () => system.proxies[0]?.url.replace('0.0.0.0', '127.0.0.1') ?? '';

function send(method: string, path: string, headers: Record<string, string> = {}) {
  return fetch(`${proxyUrl()}${path}`, { method, headers: { 'x-agent-token': agentToken, ...headers } });
}

/** All that a caller could show, none of which is the provider's business. */
const callersOwn = {
  authorization: 'Bearer fake-caller-1',
  'x-api-key': 'fake-caller-2',
  'x-goog-api-key': 'fake-caller-3',
  'api-key': 'fake-caller-4',
  cookie: 'session=fake-caller-5',
  'proxy-authorization': 'Basic fake-caller-6',
  'X-Kept': 'yes',
};

test.each([
  ['openai', 'GET', '/v1/models', { authorization: `Bearer ${keyOf('openai')}` }],
  ['anthropic', 'GET', '/v1/models', { 'x-api-key': keyOf('anthropic') }],
  ['gemini', 'GET', '/v1beta/models', { 'x-goog-api-key': keyOf('gemini') }],
  ['gemini', 'POST', '/v1beta/openai/chat/completions', { authorization: `Bearer ${keyOf('gemini')}` }],
] as const)(
  '%s gets the configured key in its own header, and no credential of the caller',
  async (id, method, path, shown) => {
    const answer = await send(method, `/${id}${path}?key=fake-caller-7&a=%2e&access_token=fake-caller-8`, callersOwn);
    expect(answer.headers.get('x-event-id')).not.toBeNull();
    const [last] = provider.requests.slice(-1);
    expect(last?.target).toBe(`${path}?a=%2e`);
    expect(last?.headers).toMatchObject({ ...shown, 'x-kept': 'yes' });
    expect(`${last?.target} ${last?.rawHeaders.join(' ')}`).not.toMatch(/fake-caller|agp_/);
    expect(last?.rawHeaders.join(' ').split('fake-key-of-')).toHaveLength(2);
    const told = `${await answer.text()} ${JSON.stringify([...answer.headers])}`;
    expect(told).not.toContain('fake-key-of-');
  },
);

test.each([openaiCalls.chat, openaiCalls.responsesStream, anthropicCalls.messagesStream, geminiCalls.generateContent])(
  '$name works through a configured key with the agent token alone',
  async (call) => {
    const before = provider.requests.length;
    const { headers } = await call.run({
      baseUrl: `${proxyUrl()}/${call.provider}`,
      headers: { 'X-Agent-Token': agentToken },
    });
    expect(headers['x-event-id']).toMatch(/^evt_/);
    const [received] = provider.requests.slice(before);
    const seen = received?.rawHeaders.join(' ') ?? '';
    expect(seen).toContain(keyOf(call.provider));
    expect(seen).not.toContain('agp_');
  },
);

test.each([
  ['openai', 'GET', '/v1/files'],
  ['openai', 'GET', '/v1/organization/users'],
  ['openai', 'DELETE', '/v1/models/gpt-5'],
  ['openai', 'GET', '/v1/responses/resp_1'],
  ['anthropic', 'POST', '/v1/messages/batches'],
  ['anthropic', 'GET', '/v1/messages/batches/b/results'],
  ['gemini', 'POST', '/v1beta/cachedContents'],
  ['files', 'POST', '/v1/files'],
  ['files', 'GET', '/v1/batches'],
  ['files', 'POST', '/v1/batches/batch_1/cancel'],
  ['files', 'POST', '/v1/chat/completions'],
])('%s: %s %s is refused: the account is not for agents', async (id, method, path) => {
  const before = provider.requests.length;
  const answer = await send(method, `/${id}${path}`);
  expect([answer.status, refusalText(await answer.json()), answer.headers.get('x-should-retry')]).toEqual([
    403,
    errorTable.path_not_allowed.message,
    'false',
  ]);
  expect(provider.requests.length).toBe(before);
});

/** What a provider answers with a credential, or an address past the proxy (as its reference names it). */
test.each([
  ['openai', '/v1/realtime/client_secrets'],
  ['openai', '/v1/realtime/sessions'],
  ['openai', '/v1/realtime/calls'],
  ['openai', '/v1/realtime?model=gpt-realtime'],
  ['openai', '/v1/live/sessions'],
  ['openai', '/v1/chatkit/sessions'],
  ['openai', '/v1/organization/admin_api_keys'],
  ['openai', '/v1/organization/projects/proj_1/service_accounts'],
  ['plain', '/openai/realtimeapi/sessions'],
  ['plain', '/v1/Realtime/Client_Secrets/'],
  ['plain', '/api/v1/keys'],
  ['files', '/v1/realtime/client_secrets'],
  ['anthropic', '/api/oauth/claude_cli/create_api_key'],
  ['anthropic', '/v1/oauth/token'],
  ['anthropic', '/v1/tunnels/tunnel_1/reveal_token'],
  ['anthropic', '/v1/environments/env_1/work/poll'],
  ['gemini', '/v1alpha/auth_tokens'],
  ['gemini', '/$rpc/google.ai.generativelanguage.v1alpha.AuthTokenService/CreateToken'],
  ['gemini', '/v1/projects/-/serviceAccounts/a@b:generateAccessToken'],
])('%s: %s hands out a credential, and is refused whoever holds the key', async (id, path) => {
  const before = provider.requests.length;
  const answer = await send('POST', `/${id}${path}`);
  expect([answer.status, answer.headers.get('x-error-code'), refusalText(await answer.json())]).toEqual([
    403,
    'credential_path',
    expect.stringMatching(/^\/.+ would hand out a credential of the provider/),
  ]);
  expect(provider.requests.length).toBe(before);
});

test.each([
  ['plain', '/v1/agents'],
  ['plain', '/v1/agents/agt_1/sessions'],
  ['plain', '/v1/Agents/agt_1/Runs/'],
  ['anthropic', '/v1/sessions/s_1/events'],
  ['anthropic', '/v1/dreams'],
  ['anthropic', '/v1/deployments'],
  ['anthropic', '/v1/environments/env_1'],
  ['gemini', '/v1beta/agents/a'],
  ['gemini', '/v1/projects/p/locations/l/reasoningEngines/1:query'],
  ['plain', '/anthropic/v1/sessions'],
  ['plain', '/v1/acct/gw/anthropic/v1/agents'],
  ['plain', '/gemini/v1beta/agents'],
])('%s: %s is of agents that run at the provider, and is refused whoever holds the key', async (id, path) => {
  const before = provider.requests.length;
  for (const method of ['POST', 'GET']) {
    const answer = await send(method, `/${id}${path}`);
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'hosted_agent']);
    await answer.body?.cancel();
  }
  expect(provider.requests.length).toBe(before);
});

test('without a valid token the answer is 401, whatever the path', async () => {
  for (const path of ['/openai/v1/models', '/openai/v1/files']) {
    const answer = await send('GET', path, { 'x-agent-token': `agp_${'made-up-'.repeat(6).slice(0, 43)}` });
    expect([answer.status, refusalText(await answer.json())]).toEqual([
      401,
      'missing or invalid agent token: it was revoked, has expired, or was never issued here: ask for another one',
    ]);
  }
});

test.each(Object.entries(ownSecrets))('%s: %s reaches no provider, whoever holds the key', async (prefix, what) => {
  const secret = `${prefix}${'fake-secret-'.repeat(4).slice(0, 43)}`;
  const before = provider.requests.length;
  for (const id of ['openai', 'plain'])
    for (const [headers, query] of [
      [{ authorization: `Token ${secret}` }, ''],
      [{ authorization: `Basic ${btoa(`x:${secret}`)}` }, ''],
      [{ 'x-other-gateway': secret }, ''],
      [{ 'helicone-auth': `Bearer ${secret}` }, ''],
      [{}, `?a=b&x=${secret}`],
      [{}, `?a=b&x=y%3B${secret}`],
      ...(prefix === 'agp_'
        ? []
        : ([
            [{ authorization: `Bearer ${secret}` }, ''],
            [{ 'x-api-key': secret }, ''],
            [{ 'api-key': `${prefix}short` }, ''],
            [{ 'x-goog-api-key': secret }, ''],
            [{}, `?key=${secret}`],
          ] as const)),
    ] as const) {
      const answer = await send('GET', `/${id}/v1/models${query}`, headers);
      expect([headers, query, answer.status, refusalText(await answer.json())]).toEqual([
        headers,
        query,
        401,
        expect.stringContaining(` holds ${what}, which goes to no provider: `),
      ]);
    }
  expect(provider.requests.length).toBe(before);
});

test('paths that the file allows are forwarded, with the key from its own file', async () => {
  for (const [method, path] of [
    ['GET', '/v1/files'],
    ['GET', '/v1/files/file-1/content'],
    ['POST', '/v1/rerank'],
    // Its entry has the /v1 that the base URL ends in.
    ['GET', '/v1/batches/batch_1'],
  ] as const) {
    const answer = await send(method, `/files${path}`);
    await answer.arrayBuffer();
    expect(answer.headers.get('x-event-id'), path).not.toBeNull();
    const [last] = provider.requests.slice(-1);
    expect([last?.target, last?.headers.authorization]).toEqual([path, `Bearer ${keyOf('files')}`]);
  }
});

test('a header cannot make another method of the one that is allowed', async () => {
  const names = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];
  const headers = Object.fromEntries(names.map((name) => [name, 'DELETE']));
  const [limited, open] = [
    await send('POST', '/files/v1/rerank?%24httpMethod=DELETE&$key=fake-caller-9', headers),
    await send('GET', '/plain/v1/x', headers),
  ];
  await Promise.all([limited.arrayBuffer(), open.arrayBuffer()]);
  expect(provider.requests.slice(-2).map(({ target }) => target)).toEqual(['/v1/rerank', '/v1/x']);
  const [ofLimited, ofOpen] = provider.requests.slice(-2).map(({ rawHeaders }) => rawHeaders);
  for (const name of names) {
    for (const received of [ofLimited, ofOpen])
      expect(received?.map((text) => text.toLowerCase())).not.toContain(name.toLowerCase());
  }
});

test('where no key is configured what the caller shows goes through, and every path', async () => {
  const answer = await send('GET', '/plain/v1/files?key=fake-caller-7', callersOwn);
  await answer.arrayBuffer();
  const [last] = provider.requests.slice(-1);
  expect(last?.target).toBe('/v1/files?key=fake-caller-7');
  expect(last?.headers).toMatchObject({
    authorization: callersOwn.authorization,
    'x-api-key': callersOwn['x-api-key'],
    'x-goog-api-key': callersOwn['x-goog-api-key'],
    'api-key': callersOwn['api-key'],
  });
  expect(last?.rawHeaders.join(' ')).not.toMatch(/fake-key-of-|fake-caller-5|fake-caller-6|agp_/);
});
