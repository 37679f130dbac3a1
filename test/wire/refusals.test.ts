import { randomUUID } from 'node:crypto';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

let fake: FakeProvider;
let system: System;

beforeAll(async () => {
  fake = await startFakeProvider(({ headers }) =>
    headers['x-test-fault'] === 'silence' ? { hang: true } : headers['x-test-fault'] ? { cut: true } : { body: {} },
  );
  const providers = ['OPENAI', 'ANTHROPIC', 'GEMINI', 'KEYED'].map((id) => [`PROVIDER_${id}_URL`, fake.url]);
  system = await startSystem({
    environment: {
      ...Object.fromEntries(providers),
      PROVIDER_KEYED_API_KEY: 'sk-company',
      MAX_REQUEST_BYTES: '10000',
      UPSTREAM_TIMEOUT_SECONDS: '1',
    },
  });
  await Promise.all(['blocked', 'capped', 'limited', 'free'].map((name) => ask({ name, path: openai.path, body: {} })));
  await system.database.pool.query("UPDATE agents SET status = 'blocked' WHERE name = 'blocked'");
  await system.database.pool.query("UPDATE agents SET daily_cap_usd = 0 WHERE name = 'capped'");
  await system.database.pool.query("UPDATE agents SET requests_per_minute = 1 WHERE name = 'limited'");
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await fake?.stop();
});

interface Asked {
  name: string;
  path: string;
  body?: object;
  method?: string;
  headers?: Record<string, string>;
}

async function ask({ name, path, body, method = body ? 'POST' : 'GET', headers }: Asked) {
  const answer = await fetch(`${system.proxies[0]?.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-agent-name': name, ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, type: answer.headers.get('content-type'), body: text && JSON.parse(text) };
}

type Words = (status: number, code: string, message: unknown) => object;

const toOpenai: Words = (status, code, message) => {
  const types: Record<number, string> = { 401: 'authentication_error', 403: 'permission_error' };
  const limit = code === 'agent_budget_exceeded' ? 'insufficient_quota' : 'rate_limit_error';
  const type = status === 429 ? limit : (types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error'));
  return { error: { message, type, code } };
};
const toAnthropic: Words = (status, _code, message) => {
  const types: Record<number, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    409: 'conflict_error',
    413: 'request_too_large',
    426: 'invalid_request_error',
    429: 'rate_limit_error',
    504: 'timeout_error',
  };
  return { type: 'error', error: { type: types[status] ?? 'api_error', message } };
};
const toGemini: Words = (code, _code, message) => {
  const names: Record<number, string> = {
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    409: 'ALREADY_EXISTS',
    429: 'RESOURCE_EXHAUSTED',
    501: 'UNIMPLEMENTED',
    502: 'UNAVAILABLE',
    504: 'DEADLINE_EXCEEDED',
  };
  return { error: { code, message, status: names[code] ?? 'INVALID_ARGUMENT' } };
};

const messages = [{ role: 'user', content: 'hello' }];
const openai = { path: '/openai/v1/chat/completions', body: { model: 'gpt-4o', messages }, words: toOpenai };
const anthropic = {
  path: '/anthropic/v1/messages',
  body: { model: 'claude-opus-4-5', max_tokens: 9, messages },
  words: toAnthropic,
};
const geminiBody = { contents: [{ parts: [{ text: 'hello' }] }] };
const geminiPath = '/gemini/v1beta/models/gemini-2.5-flash';
const gemini = { path: `${geminiPath}:generateContent`, body: geminiBody, words: toGemini };

const dialects = [
  { dialect: 'OpenAI', ...openai },
  { dialect: 'OpenAI, streamed', ...openai, body: { ...openai.body, stream: true } },
  {
    dialect: 'OpenAI responses, streamed',
    path: '/openai/v1/responses',
    body: { input: 'hi', stream: true },
    words: toOpenai,
  },
  { dialect: 'Anthropic', ...anthropic },
  { dialect: 'Anthropic, streamed', ...anthropic, body: { ...anthropic.body, stream: true } },
  { dialect: 'Gemini', ...gemini },
  { dialect: 'Gemini, streamed', ...gemini, path: `${geminiPath}:streamGenerateContent?alt=sse` },
  { dialect: "Claude's at an OpenAI-format provider", ...anthropic, path: '/openai/v1/messages' },
  { dialect: "OpenAI's at Gemini's own", ...openai, path: '/gemini/v1beta/openai/chat/completions' },
];

const told = (text: string) => `governance proxy: ${text}`;
const cap = expect.stringMatching(/^governance proxy: daily budget exceeded: cap 0 USD, spent 0\b/);
const session = `ses_${randomUUID()}`;
const refusals: [status: number, code: string, message: unknown, asked: Partial<Asked>][] = [
  [
    400,
    'malformed_request',
    expect.stringMatching(/^governance proxy: x-compliance-tag must be/),
    { headers: { 'x-compliance-tag': '!' } },
  ],
  [
    401,
    'unauthorized_agent',
    told('missing or invalid agent token: it was revoked, has expired, or was never issued here: ask for another one'),
    { headers: { 'x-agent-token': `agp_${'x'.repeat(43)}` } },
  ],
  [403, 'agent_blocked', told('agent blocked'), { name: 'blocked' }],
  [409, 'session_of_another_agent', told('session belongs to another agent'), { headers: { 'x-session-id': session } }],
  [413, 'request_too_large', told('request body too large'), { body: { filler: 'x'.repeat(20_000) } }],
  [429, 'agent_budget_exceeded', cap, { name: 'capped' }],
  [429, 'rate_limited', told('rate limit exceeded: at most 1 a minute for this agent'), { name: 'limited' }],
  [
    501,
    'not_governed',
    told('resumable uploads are not governed yet'),
    { headers: { 'x-goog-upload-protocol': 'resumable' } },
  ],
  [502, 'provider_unreachable', told('provider unreachable'), { headers: { 'x-test-fault': 'cut' } }],
  [504, 'provider_timeout', told('provider timed out'), { headers: { 'x-test-fault': 'silence' } }],
];

describe.concurrent.each(refusals)('a refusal with %i %s', (status, code, message, asked) => {
  test.each(dialects)('speaks the words of $dialect', async ({ path, body, words }) => {
    if (status === 409) await ask({ name: 'owner', path, body, headers: { 'x-session-id': session } });
    // The first of a new minute passes.
    const refused = await waitFor('the refusal', async () => {
      const answer = await ask({ name: 'free', path, body, ...asked });
      return answer.status !== 200 && answer;
    });
    expect(refused).toEqual({
      status,
      type: 'application/json; charset=utf-8',
      body: words(status, code, message),
    });
  });
});

const other = told('request target must not contain //, \\, # or dot segments, plain or encoded');
const unknown = expect.stringMatching(
  /^governance proxy: unknown provider; a base URL is this proxy's address and a provider, as in \/\w+\/v1; known here: .*\bopenai\b/,
);

test.each([
  ['/openai//v1/chat/completions', toOpenai(400, 'malformed_request', other)],
  ['/agents/a/anthropic/v1//messages', toAnthropic(400, '', other)],
  ['/gemini/v1beta//models', toGemini(400, '', other)],
  ['/nobody/v1/models', { error: unknown }],
  ['/v1/models', { error: expect.stringMatching(/^governance proxy: unknown provider: the path lacks it; /) }],
  ['/agents/nobody', { error: unknown }],
  ['/', { error: unknown }],
  ['//openai/v1/models', { error: other }],
])(
  'a target that cannot be read is refused in the words of the provider that it names, if any: %s',
  async (path, body) => {
    expect((await ask({ name: 'free', path })).body).toEqual(body);
  },
);

test('the path of a key, and a HEAD, which has no body', async () => {
  const path = '/keyed/v1/files';
  const body = toOpenai(403, 'path_not_allowed', told('path not allowed'));
  expect(await ask({ name: 'free', path })).toMatchObject({ status: 403, body });
  expect(await ask({ name: 'free', path, method: 'HEAD' })).toMatchObject({ status: 403, body: '' });
});
