import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeToken, releaseName, revokeToken } from '../control/support/admin-calls.ts';
import { type IdentitySystem, startIdentitySystem } from '../control/support/identity-system.ts';
import { startTestIssuer, type TestIssuer } from './support/test-issuer.ts';

let issuer: TestIssuer;
let open: IdentitySystem;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const post = (path: string, body: object) =>
  open.system.api(`/api/v1/${path}`, { method: 'POST', body: JSON.stringify(body) });
const adopt = (id: string, name: string) => post(`agents/${id}/adopt`, { identity: 'cluster', name });

async function expectRefused(headers: Record<string, string>, status: number, error: RegExp) {
  for (const proxy of [0, 1])
    expect(await open.send(proxy, headers)).toMatchObject({ status, error: expect.stringMatching(error) });
}

beforeAll(async () => {
  issuer = await startTestIssuer();
  open = await startIdentitySystem('open', { IDENTITY_ALLOWED_HOSTS: issuer.host });
  const rules = [
    { name: 'one', match: { kind: ['one'] }, agent: 'w.{sub}' },
    { name: 'two', agent: 'w.{name}' },
  ];
  const keys = { discovery: true };
  await post('identities', { name: 'cluster', issuer: issuer.issuer, audiences: ['agp'], keys, rules });
});
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
});

test('an agent with a token goes on as a workload of another name: the same agent, and its tokens until they go', async () => {
  const token = await makeToken(open.system, 'biller');
  const shown = { 'x-agent-token': token.secret };
  const id = await open.expectForwarded(shown);
  const jwt = await issuer.sign({ sub: 'billing', kind: 'one' });
  await adopt(id, 'w.billing');
  expect(await open.expectForwarded(bearer(jwt))).toBe(id);
  expect(await open.expectForwarded(shown)).toBe(id);
  expect(await open.readName(id)).toBe('biller');
  for (const name of ['biller', 'w.billing'])
    expect(await open.expectForwarded({ 'x-agent-name': name, ...bearer(jwt) })).toBe(id);
  await expectRefused({ 'x-agent-name': 'other', ...bearer(jwt) }, 400, /not that of the token/);
  for (const name of ['biller', 'w.billing']) await open.expectRefused({ 'x-agent-name': name });
  expect(await open.countAgents('w.billing')).toBe(0);

  await revokeToken(open.system, token.id);
  await open.expectRefused(shown);
  expect(await open.expectForwarded(bearer(jwt))).toBe(id);
});

test('an adopted name is that of the workload which comes first, and of no other', async () => {
  const id = await open.expectForwarded({ 'x-agent-name': 'nightly' });
  await adopt(id, 'w.nightly');
  await open.expectRefused({ 'x-agent-name': 'nightly' });
  const first = await issuer.sign({ sub: 'nightly', kind: 'one' });
  const second = await issuer.sign({ name: 'nightly', kind: 'two' });
  expect(await open.expectForwarded(bearer(first))).toBe(id);
  await expectRefused(bearer(second), 403, /belongs to another workload of this issuer/);
});

test('an open agent of the very name is refused to the workload until it is adopted, and let go again with its name', async () => {
  const id = await open.expectForwarded({ 'x-agent-name': 'w.mailer' });
  const jwt = await issuer.sign({ sub: 'mailer', kind: 'one' });
  await expectRefused(bearer(jwt), 403, /belongs to no issuer: adopt it first/);
  await adopt(id, 'w.mailer');
  expect(await open.expectForwarded(bearer(jwt))).toBe(id);
  await open.expectRefused({ 'x-agent-name': 'w.mailer' });
  await releaseName(open.system, 'w.mailer');
  await expectRefused(bearer(jwt), 403, /belongs to no issuer: adopt it first/);
  expect(await open.expectForwarded({ 'x-agent-name': 'w.mailer' })).toBe(id);
});
