import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../system/start-system.ts';
import { makeToken, revokeToken } from './support/admin-calls.ts';
import { type IdentitySystem, neverIssued, startIdentitySystem } from './support/identity-system.ts';

let identity: IdentitySystem;
let token: { id: string; secret: string };
const put = (path: string, body: object) =>
  identity.system.api<{ id: string }>(path, { method: 'PUT', body: JSON.stringify(body) });
const post = (path: string, body: object) =>
  identity.system.api<{ id: string }>(path, { method: 'POST', body: JSON.stringify(body) });
/** Of the first proxy, which keeps to itself who stopped an agent, unless another is named. */
const ask = async (headers: Record<string, string>, proxy = 0) => {
  const answer = await fetch(`${identity.system.proxies[proxy]?.url}/agents/me`, { headers });
  return { status: answer.status, code: answer.headers.get('x-error-code'), text: await answer.text() };
};
const me = async (secret = token.secret, proxy = 0) => {
  const { status, text } = await ask({ authorization: `Bearer ${secret}` }, proxy);
  expect(status, text).toBe(200);
  return JSON.parse(text);
};

beforeAll(async () => {
  identity = await startIdentitySystem('open');
  identity.system.proxies.push(
    await identity.system.start('proxy', { REFUSAL_TELLS_WHY: 'true', REFUSAL_CONTACT: '#ai' }),
  );
  token = await makeToken(identity.system, 'own');
});
afterAll(() => identity?.[Symbol.asyncDispose]());

test('an agent reads its caps, budgets and policies as they are now, and nothing of others', async () => {
  const { agent_id: id } = await me();
  await put(`/api/v1/agents/${id}`, { metadata: { team: 'sales', note: 'secret-note' } });
  await put(`/api/v1/budgets/agents/${id}`, { daily_cap_usd: 5 });
  await put('/api/v1/budgets/global', { daily_cap_usd: 1000 });
  const budget = { amount: 2, window: 'day', on_exceeded: 'refuse' };
  await post('/api/v1/budgets', { ...budget, name: 'of-sales', match: { labels: { team: ['sales'] } } });
  await post('/api/v1/budgets', {
    ...budget,
    name: 'at-gemini',
    match: { providers: ['gemini'] },
    split_by: 'agent',
  });
  await post('/api/v1/budgets', { ...budget, name: 'of-tag', match: { tags: ['pci'] } });
  await post('/api/v1/budgets', { ...budget, name: 'of-legal', match: { labels: { team: ['legal'] } } });
  const policy = { mode: 'enforce', models: { deny: ['gpt-5'] } };
  const pii = { request: { email: 'redact', iban: 'block' }, response: { email: 'redact' } };
  await post('/api/v1/policies', { ...policy, name: 'mine', match: { agents: ['own', 'hidden-other'] }, pii });
  await post('/api/v1/policies', { ...policy, name: 'watched', mode: 'observe' });
  await post('/api/v1/policies', { ...policy, name: 'of-legal-alone', match: { labels: { team: ['legal'] } } });
  const state = await me();
  expect(state).toMatchObject({
    ...{ agent_id: id, agent_name: 'own', status: 'active', refused: [], spent_today_usd: 0 },
    daily_cap: { usd: 5, left: 5, warns_only: false },
    policies: [{ name: 'mine', mode: 'enforce', rules: ['models', 'pii'], actions: ['block', 'redact'] }],
  });
  expect(state.budgets.map(({ name, left }: { name: string; left: number }) => [name, left]).toSorted()).toEqual([
    ['at-gemini', 2],
    ['of-sales', 2],
    ['of-tag', 2],
  ]);
  expect(state.budgets.find(({ name }: { name: string }) => name === 'of-tag')).toMatchObject({ tags: ['pci'] });
  expect(JSON.stringify(state)).not.toMatch(/hidden-other|legal|watched|1000|secret-note|agp_/);
  await fetch(`${identity.system.proxies[1]?.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-agent-token': token.secret, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [] }),
  });
  await waitFor(
    'its event',
    async () => (await identity.system.api<unknown[]>(`/api/v1/events?agent_id=${id}`)).length > 0,
  );
  const { spent_today_usd: spent, daily_cap: cap } = await me();
  expect(spent).toBeGreaterThan(0);
  expect(cap.left).toBeCloseTo(5 - spent, 9);
  await put(`/api/v1/budgets/agents/${id}`, { daily_cap_usd: 0 });
  expect(await me()).toMatchObject({
    daily_cap: { usd: 0 },
    refused: [expect.stringMatching(/^governance proxy: daily budget exceeded: cap 0 USD, spent 0\.\d+$/)],
  });
});

test('an agent reads its last ten refusals, and of no other', async () => {
  const [refused, quiet] = [await makeToken(identity.system, 'refused'), await makeToken(identity.system, 'quiet')];
  const policy = { mode: 'enforce', models: { deny: ['gpt-5'] }, refusal: 'ask #ai' };
  await post('/api/v1/policies', { ...policy, name: 'of-refused', match: { agents: ['refused'] } });
  const send = (model: string) =>
    fetch(`${identity.system.proxies[0]?.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-agent-token': refused.secret, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [] }),
    });
  for (let sent = 0; sent < 12; sent += 1) expect((await send('gpt-5')).status).toBe(403);
  const { agent_id: id } = await me(refused.secret);
  await put(`/api/v1/agents/${id}`, { status: 'blocked' });
  expect((await send('gpt-4o')).status).toBe(403);
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  await waitFor('all of them', async () => (await me(refused.secret)).latest_refusals[0]?.reason === 'agent_blocked');
  const { latest_refusals: latest } = await me(refused.secret);
  expect(latest).toHaveLength(10);
  expect(latest[0]).toEqual({ at, reason: 'agent_blocked', policy: null, rule: null, why: null, requests: 1 });
  const why = 'the model gpt-5 is not allowed';
  expect(latest[9]).toEqual({ at, reason: 'policy_denied', policy: 'of-refused', rule: 'models', why, requests: 1 });
  expect((await me(quiet.secret)).latest_refusals).toEqual([]);
});

test('a blocked agent learns that it is, and by whom only if refusals tell', async () => {
  const other = await makeToken(identity.system, 'stopped');
  const { agent_id: id } = await me(other.secret);
  await put(`/api/v1/agents/${id}?reason=incident-42`, { status: 'blocked' });
  expect(await me(other.secret)).toMatchObject({
    status: 'blocked',
    refused: [expect.stringMatching(/^governance proxy: agent blocked since [-\d]+ [\d:]+ UTC$/)],
  });
  const { refused } = await me(other.secret, 2);
  expect(refused).toEqual([expect.stringMatching(/ by key bootstrap: incident-42; ask #ai$/)]);
  await put(`/api/v1/agents/${id}`, { status: 'active' });
  await put('/api/v1/pause', { paused: true });
  const paused = [expect.stringContaining('paused by operator since')];
  expect(await me(other.secret)).toMatchObject({ status: 'active', refused: paused });
  await put('/api/v1/pause', { paused: false });
  expect((await me(other.secret)).refused).toEqual([]);
});

test.each([
  ['none', {}, 'none was given'],
  ['a name alone', { 'x-agent-name': 'own' }, 'none was given'],
  ['another key', { 'x-agent-token': 'sk-fake' }, 'x-agent-token holds none: one begins with agp_'],
  ['half of one', { 'x-agent-token': neverIssued.slice(0, 30) }, 'has not the 47 characters of an agent token'],
  ['an unknown one', { 'x-api-key': neverIssued }, 'it was revoked, has expired, or was never issued here'],
  ['a key of ours', { authorization: 'Bearer agm_short' }, 'holds a key of the management API'],
] as const)('%s is told nothing but what is wrong with it', async (_what, headers, message) => {
  expect(await ask(headers)).toEqual({
    ...{ status: 401, code: 'unauthorized_agent' },
    text: expect.stringContaining(message),
  });
});

test('a token that was revoked tells nothing more, and an agent asks at most 60 times a minute', async () => {
  const other = await makeToken(identity.system, 'eager');
  const asked = await Promise.all(Array.from({ length: 62 }, () => ask({ 'x-agent-token': other.secret })));
  expect(asked.filter(({ status }) => status === 200)).toHaveLength(60);
  expect(asked.filter(({ code }) => code === 'rate_limited')).toHaveLength(2);
  expect((await me()).agent_name).toBe('own');
  await revokeToken(identity.system, other.id);
  expect(await ask({ 'x-agent-token': other.secret })).toMatchObject({ status: 401 });
});
