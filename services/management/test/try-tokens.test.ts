import { type TriedToken, triedTokenSchema } from '@agp/identities';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { seedAgent } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
let signer: CryptoKey;

const now = () => Math.floor(Date.now() / 1_000);
const sign = (claims: Record<string, unknown>, key = signer) =>
  new SignJWT({ iss: 'https://inline.test', aud: 'agp', exp: now() + 600, ...claims })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(key);

async function attempt(token: string): Promise<TriedToken> {
  const response = await management.send('POST', '/api/v1/identities/try', { token });
  expect(response.status).toBe(200);
  return triedTokenSchema.parse(await response.json());
}

const prod = { name: 'prod', match: { 'kubernetes.io/namespace': ['prod-*'] }, agent: 'k8s.{sub}' };
const ci = {
  name: 'ci',
  match: { ref: ['main'] },
  agent: 'ci.{sub}',
  labels: { team: '{team}' },
  compliance_tag: 'ci',
};
const pod = { 'kubernetes.io': { namespace: 'prod-1' }, sub: 'biller' };

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  signer = pair.privateKey;
  const jwks = { keys: [await exportJWK(pair.publicKey)] };
  for (const [name, keys] of Object.entries({ inline: { jwks }, private: { jwks_uri: 'https://127.0.0.1:9/' } })) {
    const identity = { name, issuer: `https://${name}.test`, audiences: ['agp'], keys, rules: [prod, ci] };
    expect((await management.send('POST', '/api/v1/identities', identity)).status).toBe(201);
  }
});

test('a token that passes says its issuer, rule, agent, labels, tag and end, and is kept nowhere', async () => {
  const exp = now() + 600;
  const stored = async () =>
    (await management.database.pool.query('SELECT (SELECT count(*) FROM audit_log), count(*) FROM agents')).rows;
  const before = await stored();
  expect(await attempt(await sign({ ...pod, exp }))).toEqual({
    ...{ passes: true, problem: null, identity: 'inline', rule: 'prod', agent: 'k8s.biller', agent_id: null },
    ...{ labels: {}, compliance_tag: null, expires_at: new Date(exp * 1_000).toISOString() },
  });
  expect(await attempt(`  ${await sign({ sub: 'repo', ref: 'main', team: 'build' })}\n`)).toMatchObject({
    ...{ passes: true, rule: 'ci', agent: 'ci.repo', labels: { team: 'build' }, compliance_tag: 'ci' },
  });
  expect(await stored()).toEqual(before);
  const long = await management.send('POST', '/api/v1/identities/try', { token: 'x'.repeat(16_385) });
  await management.refuse(long, 400, /^token: /);
});

test('what is missing is named by its claim, never by what it is', async () => {
  const other = (await generateKeyPair('ES256')).privateKey;
  const hidden = { sub: 'x', 'kubernetes.io': { namespace: 'hidden' } };
  const unmet =
    /^no rule of inline holds: prod: claim kubernetes\.io\/namespace does not match; ci: claim ref is missing$/;
  for (const [token, problem, parts] of [
    ['agp_token', /^it is an agent token, no JWT$/, { identity: null }],
    ['token', /^it has not the form of a signed JWT: refused in X-Agent-Token, /, { identity: null }],
    [
      await sign({ ...pod, iss: 'https://nobody.test' }),
      /^no identity here has its claim iss: refused in X-Agent-Token, /,
      { identity: null },
    ],
    [
      await sign({ ...pod, aud: 'sts' }),
      /^no identity here has its claim aud: .*with AGENT_IDENTITY=open it goes to the provider/,
      { identity: null },
    ],
    [await sign({ ...pod, exp: now() - 600 }), /it has expired$/, { identity: 'inline', agent: 'k8s.biller' }],
    [await sign(pod, other), /its signature is not by that key of the issuer$/, { rule: 'prod' }],
    [await sign(hidden), unmet, { identity: 'inline', rule: null, agent: null }],
    [await sign({ ref: 'main', sub: 'x' }), /^rule ci of inline: claim team is missing$/, { agent: null }],
    [await sign({ ...pod, iss: 'https://private.test' }), /keys of issuer private cannot be read: .*is private/, {}],
  ] as const) {
    const tried = await attempt(token);
    expect(tried).toMatchObject({ passes: false, problem: expect.stringMatching(problem), ...parts });
    expect(tried.problem).not.toMatch(/hidden|prod-\*/);
  }
});

test('an agent of the name that is nobody’s must be adopted first', async () => {
  const token = await sign({ ...pod, sub: 'old' });
  const id = await seedAgent(management.database, 'k8s.old');
  const problem = expect.stringMatching(/belongs to no issuer: adopt it first$/);
  expect(await attempt(token)).toMatchObject({ passes: false, agent_id: id, problem });
  const adoption = { identity: 'inline', name: 'k8s.old' };
  expect((await management.send('POST', `/api/v1/agents/${id}/adopt`, adoption)).status).toBe(200);
  expect(await attempt(token)).toMatchObject({ passes: true, agent_id: id });
});
