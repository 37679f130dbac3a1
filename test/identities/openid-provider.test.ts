import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@agp/testing';
import { exportJWK, type JWK } from 'jose';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentitySystem, startIdentitySystem } from '../control/support/identity-system.ts';
import { putIdentity } from './support/change-identities.ts';
import { makeKey } from './support/test-issuer.ts';

const secret = 'a-secret-of-the-client-0123456789';
const server = createServer((request, response) => answer(request, response));
let answer: RequestListener;
let issuer: string;
let system: IdentitySystem;

/** The certified provider, with other keys than before; the first signs. */
function serve(...keys: JWK[]): void {
  const provider = new Provider(issuer, {
    clients: ['mailer', 'crawler'].map((id) => ({
      ...{ client_id: id, client_secret: secret, grant_types: ['client_credentials'] },
      ...{ redirect_uris: [], response_types: [] },
    })),
    jwks: { keys: keys as [] },
    cookies: { keys: ['a key of its cookies'] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:agp',
        getResourceServerInfo: () => ({
          ...{ scope: 'agents', audience: 'agp', accessTokenFormat: 'jwt', accessTokenTTL: 300 },
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  const handle = provider.callback();
  answer = (request, response) => void handle(request, response);
}

async function fetchToken(client: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'agents' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

const makePrivate = async (kid: string): Promise<JWK> => ({
  ...(await exportJWK((await makeKey(kid)).privateKey)),
  ...{ kid, alg: 'RS256', use: 'sig' },
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  issuer = `http://${host}`;
  system = await startIdentitySystem('token', { IDENTITY_ALLOWED_HOSTS: host });
  const rule = { name: 'clients', match: { scope: ['agents'] }, agent: 'oidc.{client_id}' };
  const document = { name: 'oidc', issuer, audiences: ['agp'], keys: { discovery: true }, rules: [rule] };
  await putIdentity(system.system.database, document);
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

test('tokens of a certified OpenID provider work, also while its keys rotate', async () => {
  const [first, second] = [await makePrivate('first'), await makePrivate('second')];
  serve(first);
  const old = await fetchToken('mailer');
  const agentId = await system.expectForwarded({ authorization: `Bearer ${old}` });
  expect(await system.readName(agentId)).toBe('oidc.mailer');
  serve(second, first);
  const next = await fetchToken('mailer');
  // An unknown key is asked for again at most once in five seconds.
  await eventually(async () => expect((await system.send(0, { 'x-api-key': next })).status).toBe(404));
  await eventually(async () => expect((await system.send(1, { 'x-api-key': next })).status).toBe(404));
  expect(await system.expectForwarded({ 'x-api-key': next })).toBe(agentId);
  expect(await system.expectForwarded({ 'x-api-key': await fetchToken('mailer') })).toBe(agentId);
  expect(await system.expectForwarded({ 'x-api-key': await fetchToken('crawler') })).not.toBe(agentId);
  expect(await system.expectForwarded({ authorization: `Bearer ${old}` })).toBe(agentId);
});
