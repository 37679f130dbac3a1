import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeToken } from '../control/support/admin-calls.ts';
import { type IdentitySystem, startIdentitySystem } from '../control/support/identity-system.ts';
import { putIdentity, removeIdentity } from './support/change-identities.ts';
import { nowSeconds, startTestIssuer, type TestIssuer } from './support/test-issuer.ts';

let issuer: TestIssuer;
let other: TestIssuer;
let open: IdentitySystem;

const byName = (name = 'workload') => ({ name: 'all', agent: `${name}.{sub}` });

const documentOf = ({ issuer }: TestIssuer, name: string, ...rules: object[]) => ({
  ...{ name, issuer, audiences: ['agp'], keys: { discovery: true }, rules },
});

const put = (name: string, of: TestIssuer, ...rules: object[]) =>
  putIdentity(open.system.database, documentOf(of, name, ...rules));

beforeAll(async () => {
  [issuer, other] = [await startTestIssuer(), await startTestIssuer()];
  open = await startIdentitySystem('open', { IDENTITY_ALLOWED_HOSTS: `${issuer.host}, ${other.host}` });
});
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function expectError(headers: Record<string, string>, status: number, error: RegExp) {
  for (const proxy of [0, 1]) {
    const answer = await open.send(proxy, headers);
    expect(answer).toEqual({ status, error: expect.stringMatching(error), agentId: null });
  }
}

test('the first request of a workload registers its agent; from where a key stands the token never goes on', async () => {
  const rule = { ...byName(), labels: { team: '{team}', site: 'eu' }, compliance_tag: '{tag}' };
  await put('cluster', issuer, rule);
  const token = await issuer.sign({ sub: 'mailer', team: 'search', tag: 'pci' });
  const places: [Record<string, string>, string?][] = [
    [bearer(token)],
    [{ 'x-api-key': token }],
    [{ 'x-goog-api-key': token }],
    [{ 'api-key': token }],
    [{ 'x-agent-token': token, authorization: 'Bearer sk-fake' }],
    [{ 'x-agent-token': token, 'x-other': `a=${token}`, cookie: `t=${token}` }, `/openai/v1/models?a=${token}&b`],
    [{}, `/openai/v1/models?key=${token}&b=1`],
    [{ 'x-agent-name': 'workload.mailer', ...bearer(token) }],
  ];
  const ids = new Set<string>();
  const before = open.provider.requests.length;
  for (const [headers, path] of places) ids.add(await open.expectForwarded(headers, path));
  expect(ids.size).toBe(1);
  const agent = await open.system.api<{ name: string; metadata: object }>(`/api/v1/agents/${[...ids][0]}`);
  expect(agent).toMatchObject({
    name: 'workload.mailer',
    metadata: { team: 'search', site: 'eu', compliance_tag: 'pci' },
  });
  const sent = open.provider.requests.slice(before).map(({ target, rawHeaders }) => `${target} ${rawHeaders}`);
  expect(sent).toHaveLength(16);
  for (const each of sent) expect(each).not.toContain(token.slice(0, 30));
  expect(sent.filter((each) => each.includes('Bearer sk-fake'))).toHaveLength(2);
  for (const path of [`/openai/v1/${token}`, `/agents/${token}/openai/v1/models`])
    expect((await open.send(0, {}, path)).status).toBe(400);
  for (const headers of [{ 'x-session-id': token.slice(0, 256) }, { 'x-agent-name': 'workload.other' }])
    expect((await open.send(0, { ...bearer(token), ...headers })).status).toBe(400);
});

test("a JWT of nobody's issuer, or for another audience, is a provider's credential, as ever", async () => {
  const foreign = [
    await other.sign({ sub: 'mailer' }),
    await issuer.sign({ sub: 'mailer', aud: ['vault'] }),
    await issuer.sign({ sub: 'mailer', iss: `${issuer.issuer}/` }),
  ];
  for (const token of foreign) {
    const agentId = await open.expectForwarded({ 'x-agent-name': 'plain', ...bearer(token) });
    expect(await open.readName(agentId)).toBe('plain');
    expect(open.provider.requests.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
    await expectError({ 'x-agent-token': token }, 401, /no issuer here has its claims iss and aud/);
  }
});

test('a rule that changes, or an issuer that comes or goes, holds from the next request on, on each proxy', async () => {
  const token = await other.sign({ sub: 'rolling', env: 'prod' });
  expect(await open.readName(await open.expectForwarded({ 'x-agent-name': 'plain', ...bearer(token) }))).toBe('plain');
  const rule = byName('one');
  const expectName = async (name: string) =>
    expect(await open.readName(await open.expectForwarded(bearer(token)))).toBe(name);
  await put('other', other, rule);
  await expectName('one.rolling');
  await put('other', other, { ...rule, match: { env: ['p*'] }, agent: 'two.{sub}' });
  await expectName('two.rolling');
  await put('other', other, { ...rule, match: { env: ['dev'] } });
  await expectError(bearer(token), 401, /^no rule of other holds: all: claim env does not match$/);
  await put('other', other, { ...rule, match: { zone: ['dev'] } });
  await expectError(bearer(token), 401, /claim zone is missing/);
  await put('other', other, rule);
  await expectName('one.rolling');
  await removeIdentity(open.system.database, 'other');
  await expectError({ 'x-agent-token': token }, 401, /no issuer here/);
});

describe("an agent belongs to the issuer that made it, and its name to nobody else's", () => {
  test('not to a declared name, another issuer, another workload, nor to anybody once the issuer is gone', async () => {
    await put('cluster', issuer, byName('owned'), { name: 'sub', agent: 'owned.{other}' });
    await open.expectForwarded(bearer(await issuer.sign({ sub: 'one' })));
    await expectError({ 'x-agent-name': 'owned.one' }, 401, /missing or invalid agent token/);
    await put('other', other, byName('owned'));
    await expectError(bearer(await other.sign({ sub: 'one' })), 403, /belongs to another issuer$/);
    await put('cluster', issuer, { name: 'sub', agent: 'owned.{other}' });
    await expectError(bearer(await issuer.sign({ other: 'one' })), 403, /belongs to another workload of this issuer$/);
    await removeIdentity(open.system.database, 'cluster');
    await expectError({ 'x-agent-name': 'owned.one' }, 401, /missing or invalid agent token/);
    await expectError(bearer(await other.sign({ sub: 'one' })), 403, /belongs to an issuer that was removed$/);
  });

  test("and it takes none of a token's, nor of an agent that is there already", async () => {
    await put('cluster', issuer, byName('taken'));
    const { secret } = await makeToken(open.system, 'taken.token');
    await expectError(bearer(await issuer.sign({ sub: 'token' })), 403, /those with an agent token for it/);
    expect(await open.countAgents('taken.token')).toBe(0);
    await open.expectForwarded({ 'x-agent-token': secret });
    await expectError(bearer(await issuer.sign({ sub: 'token' })), 403, /those with an agent token for it/);
    await open.expectForwarded({ 'x-agent-name': 'taken.open' });
    await expectError(bearer(await issuer.sign({ sub: 'open' })), 403, /is there already, and belongs to no issuer/);
    await open.expectForwarded({ 'x-agent-name': 'taken.open' });
  });

  test('whoever comes first, when declared names and tokens race for it', async () => {
    await put('cluster', issuer, byName('raced'));
    const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const tokens = await Promise.all(names.map((sub) => issuer.sign({ sub })));
    await Promise.all(
      names.flatMap((name, index) => [
        open.send(index % 2, bearer(tokens[index] ?? '')),
        open.send((index + 1) % 2, { 'x-agent-name': `raced.${name}` }),
      ]),
    );
    for (const [index, name] of names.entries()) {
      const [byToken, declared] = [
        await open.send(0, bearer(tokens[index] ?? '')),
        await open.send(1, { 'x-agent-name': `raced.${name}` }),
      ];
      expect([byToken.status, declared.status].sort(), name).toEqual(byToken.status === 404 ? [401, 404] : [403, 404]);
    }
  });
});

test('in no other header a token goes on, also while a proxy does not know its issuer yet', async () => {
  await removeIdentity(open.system.database, 'cluster');
  const [token, sent] = [await issuer.sign({ sub: 'astray' }), () => JSON.stringify(open.provider.requests)];
  await open.expectForwarded({ 'x-agent-name': 'plain', 'x-upstream-token': token });
  const parts = sent().split(token).length;
  expect(parts).toBeGreaterThan(1);
  await put('cluster', issuer, byName());
  await open.expectForwarded({ 'x-agent-name': 'plain', 'x-upstream-token': token });
  expect(sent().split(token).length).toBe(parts);
});

test('two proofs are one too many; one of them twice is one', async () => {
  await put('cluster', issuer, byName());
  const [one, two] = [await issuer.sign({ sub: 'one' }), await issuer.sign({ sub: 'two' })];
  const { secret } = await makeToken(open.system, 'by-token');
  await open.expectForwarded({ 'x-agent-token': one, ...bearer(one) });
  for (const headers of [
    { 'x-agent-token': one, ...bearer(two) },
    { 'x-api-key': one, ...bearer(two) },
    { 'x-agent-token': secret, ...bearer(one) },
    { 'x-agent-token': one, ...bearer(secret) },
  ])
    await expectError(headers, 400, /two different agent tokens are given/);
  expect((await open.send(0, {}, `/agents/workload.two/openai/v1/models?key=${one}`)).status).toBe(400);
});

test('clocks may differ by a minute, in both directions', async () => {
  await put('cluster', issuer, byName());
  const at = nowSeconds();
  await open.expectForwarded(bearer(await issuer.sign({ sub: 'late', exp: at - 20 })));
  await open.expectForwarded(bearer(await issuer.sign({ sub: 'early', nbf: at + 50 })));
  await expectError(bearer(await issuer.sign({ sub: 'late', exp: at - 70 })), 401, /it has expired/);
  await expectError(bearer(await issuer.sign({ sub: 'early', nbf: at + 600 })), 401, /it is not valid yet/);
});
