import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeToken, releaseName, revokeToken } from './support/admin-calls.ts';
import { type IdentitySystem, neverIssued, startIdentitySystem } from './support/identity-system.ts';

let identity: IdentitySystem;

beforeAll(async () => {
  identity = await startIdentitySystem('open');
});
afterAll(() => identity?.[Symbol.asyncDispose]());

test('names are believed, until a token is made for one: then it needs that token, on the next request of every replica', async () => {
  const agentId = await identity.expectForwarded({ 'x-agent-name': 'claimed' });
  const token = await makeToken(identity.system, 'claimed');
  await identity.expectRefused({ 'x-agent-name': 'claimed' });
  await identity.expectRefused({}, '/agents/claimed/openai/v1/models');
  expect(await identity.expectForwarded({ 'x-agent-token': token.secret })).toBe(agentId);
  expect(await identity.expectForwarded({ 'x-agent-token': token.secret, 'x-agent-name': 'claimed' })).toBe(agentId);
  await identity.expectForwarded({ 'x-agent-name': 'unclaimed' });
  await identity.expectForwarded({});
});

test('a name that was claimed before its agent ever came cannot be registered without it', async () => {
  const token = await makeToken(identity.system, 'reserved for later');
  await identity.expectRefused({ 'x-agent-name': 'reserved for later' });
  expect(await identity.countAgents('reserved for later')).toBe(0);
  const agentId = await identity.expectForwarded({ 'x-agent-token': token.secret });
  expect(await identity.readName(agentId)).toBe('reserved for later');
});

test('a wrong token is refused even for a name that anybody may use, and so is that of another name', async () => {
  const { secret } = await makeToken(identity.system, 'owner');
  await identity.expectRefused({ 'x-agent-name': 'anybody', 'x-agent-token': neverIssued });
  expect((await identity.send(0, { 'x-agent-name': 'anybody', 'x-agent-token': secret })).status).toBe(400);
  expect(await identity.countAgents('anybody')).toBe(0);
});

test('a revoked token frees nothing; a released name may be declared again, with the same agent', async () => {
  const token = await makeToken(identity.system, 'returning');
  const agentId = await identity.expectForwarded({ 'x-agent-token': token.secret });
  await revokeToken(identity.system, token.id);
  await identity.expectRefused({ 'x-agent-token': token.secret });
  await identity.expectRefused({ 'x-agent-name': 'returning' });
  await releaseName(identity.system, 'returning');
  expect(await identity.expectForwarded({ 'x-agent-name': 'returning' })).toBe(agentId);
  await identity.expectRefused({ 'x-agent-token': token.secret });
});
