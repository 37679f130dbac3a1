import { parsePriceFile } from '@agp/catalogue';
import { createMetering, matchOperation } from '@agp/metering';
import { type CallFacts, type Finding, isEnforced, judgeBody, policySchema, prepareRules } from '@agp/policy';
import { expect, test } from 'vitest';
import type { Agent } from '../identity/workload.ts';
import type { Body, Head } from '../journey.ts';
import { CallData } from './call-data.ts';

const metering = createMetering({ isStrict: false, pii: null, prices: parsePriceFile('[]') });
const away = { load: () => Promise.reject(new Error('away')), keep: () => Promise.reject(new Error('away')) };
const context = { metering, config: {}, sessionValues: away } as unknown as Parameters<typeof CallData.of>[0];
const agent = { uuid: 'a', id: 'agt_a', name: 'a', tokenId: null, claim: null } as Agent;
const rulesOf = (all: readonly object[]) =>
  prepareRules(
    1,
    all.map((pii, at) => ({ version: 1, policy: policySchema.parse({ name: `p${at}`, mode: 'enforce', pii }) })),
  );
const restoring = { request: { email: 'redact' }, restore: true };

/** What goes on of a call while Redis is away. */
async function redact(
  pii: object | readonly object[],
  body: object | null,
  { sessionName = 'named' as string | null, path = '/v1/responses' } = {},
) {
  const method = body === null ? 'GET' : 'POST';
  const operation = matchOperation('openai', method, path);
  const provider = { id: 'openai', api: 'openai', baseUrl: new URL('https://api.openai.com'), harmlessMembers: [] };
  const head = {
    provider,
    operation,
    method,
    path,
    query: '',
    headers: {},
    hasBody: body !== null,
    isPacked: false,
    sessionName,
    sourceIp: '::1',
  } as unknown as Head;
  const bytes = Buffer.from(JSON.stringify(body));
  const form = { contentType: 'application/json', contentEncoding: '', decoded: null };
  const inspected =
    body === null || operation === null
      ? null
      : metering.inspect(operation, head as never, bytes, form as never, { isCapped: false, mayRefuse: false });
  const call = { inspected, searched: null } as unknown as Body;
  const rules = rulesOf([pii].flat());
  const facts = {
    agent: 'a',
    labels: {},
    tag: 'x',
    provider: 'openai',
    operations: null,
    at: 0,
  } as unknown as CallFacts;
  const data = CallData.of(context, head, agent, rules, facts);
  const searched = await data?.search(call, 'ses_a');
  const findings: Finding[] = judgeBody(rules, { ...facts, ...searched?.facts }).filter(isEnforced);
  const changed = await data?.redact(call, searched?.found ?? null, findings);
  const text = changed?.toString() ?? '';
  const label = /\[\w+ \w{6}\]/.exec(text)?.[0] ?? '';
  return { label, text, restored: data?.openAnswer()?.put('/label', label) };
}

const input = 'I am ada@example.com';

test('without Redis a call whose conversation stands in its body goes on, and has its values put back', async () => {
  expect(await redact(restoring, { model: 'gpt-5', input })).toMatchObject({ restored: 'ada@example.com' });
});

test.each([
  ['goes on from a stored answer', { model: 'gpt-5', input, previous_response_id: 'resp_1' }],
  ['goes on in a stored conversation', { model: 'gpt-5', input: 'hello', conversation: 'conv_1' }],
])('without Redis a call that %s is refused, if a rule restores in a named session', async (_name, body) => {
  await expect(redact(restoring, body)).rejects.toMatchObject({ code: 'labels_unavailable' });
  expect(await redact(restoring, body, { sessionName: null })).toBeDefined();
  expect(await redact({ request: { email: 'redact' } }, body)).toBeDefined();
});

test('a list of models needs no Redis', async () => {
  expect(await redact(restoring, null, { path: '/v1/models' })).toMatchObject({ label: '' });
});

const own = (pattern: string, more: object) => ({
  request: { own: 'redact' },
  patterns: [{ name: 'own', pattern, longest: 60, matches: ['write to a@b.c now'], ignores: ['a'] }],
  ...more,
});

test('of findings that share a text the replacement that says least counts, and all must restore', async () => {
  const body = { model: 'gpt-5', input: 'write to ada@example.com now' };
  const email = { request: { email: 'redact' } };
  const { text } = await redact([email, own('write [^#]{1,50}', { replace_with: 'last_four' })], body);
  expect(text).not.toMatch(/ada|example|now/);
  expect(text).toMatch(/\[\w+ \w{6}\]/);
  const hiding = [email, own('[a-z]{1,9}@[a-z.]{1,20}', { restore: true })];
  expect(await redact(hiding, body)).toMatchObject({ restored: null });
  expect(await redact(hiding[1] as object, body)).toMatchObject({ restored: 'ada@example.com' });
});
