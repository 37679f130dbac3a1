import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeTestAuthority } from '@agp/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeToken } from '../control/support/admin-calls.ts';
import { type IdentitySystem, startIdentitySystem } from '../control/support/identity-system.ts';
import { waitFor } from '../system/start-system.ts';
import { runCli } from './run-cli.ts';

let identity: IdentitySystem;
let token: string;
beforeAll(async () => {
  identity = await startIdentitySystem('token', { CONSOLE_PROXY_ADDRESS: 'http://proxy.test' });
  token = (await makeToken(identity.system, 'me')).secret;
});
afterAll(() => identity?.[Symbol.asyncDispose]());

const proxy = () => identity.system.proxies[0]?.url ?? '';
async function agp(args: string, environment: Record<string, string> = { AGP_TOKEN: token }) {
  const run = await runCli(args.split(' '), environment);
  for (const secret of Object.values(environment)) expect(run.stdout + run.stderr).not.toContain(secret);
  return run;
}

test('me shows an agent its own state, and says what it is not told', async () => {
  expect(await agp(`me ${proxy()}/openai/v1`)).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^agent +me \(agt_\w+\)\nstatus +active\nrequests a minute +none\nspent today +0\.00 USD\ndaily cap +none\n$/,
    ),
    stderr: expect.stringContaining('refused requests are listed for operators'),
  });
  expect(JSON.parse((await agp(`me ${proxy()} --json`)).stdout)).toMatchObject({ agent_name: 'me', budgets: [] });
});

test.each([
  ['openai', 'openai/v1', 'gpt-4o'],
  ['anthropic', 'agents/me/anthropic', 'claude-sonnet-5'],
  ['gemini', 'gemini', 'gemini-2.5-flash'],
  ['bedrock', 'bedrock', 'amazon.nova-lite-v1:0'],
  ['bedrock', 'bedrock/openai/v1', 'openai.gpt-oss-120b-1:0'],
  ['bedrock', 'bedrock/anthropic', 'anthropic.claude-sonnet-5'],
])('what is well at %s is said, a line each, and a model is called only if asked', async (api, path, model) => {
  const { requests } = identity.provider;
  const before = requests.length;
  const { code, stdout } = await agp(`doctor ${proxy()}/${path}`);
  const well = `^good: the proxy answers, .*speaks as ${api} does\ngood: the token is of the agent me\nnote: `;
  expect([code, stdout]).toEqual([0, expect.stringMatching(well)]);
  expect(requests.length).toBe(before);
  const called = await agp(`doctor ${proxy()}/${path} --call ${model}`);
  expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining(`\ngood: ${model} answers\n`) });
  expect(requests.length).toBe(before + 1);
});

test('what refuses a call is named, and whose refusal it is', async () => {
  const pii = { request: { email: 'redact', iban: 'block' } };
  const policy = { name: 'small', mode: 'enforce', match: { agents: ['me'] }, models: { allow: ['gpt-4o'] }, pii };
  await identity.system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
  const budget = { name: 'of-tag', amount: 5, window: 'day', match: { tags: ['pci', 'gdpr'] } };
  await identity.system.api('/api/v1/budgets', { method: 'POST', body: JSON.stringify(budget) });
  const denied = await agp(`doctor ${proxy()}/openai/v1 --call gpt-5`);
  expect(denied).toMatchObject({ code: 1, stderr: '1 of these findings is bad.\n' });
  expect(denied.stdout).toContain('note: policy: small (enforce): rules for models, pii; may block, redact\n');
  expect(denied.stdout).toMatch(/bad: +gpt-5: the proxy \(policy_denied\) answers 403: denied by policy small/);
  expect(denied.stdout).toMatch(
    /note: budget: of-tag: 5\.00 USD of 5\.00 USD left \(day, anew 2\d{3}-[-\d]+ 00:00:00Z\), beyond it refuse; only requests with the tag pci or gdpr, as /,
  );
  const refusal = /\nrefused +2\d{3}-[-\d]+ [\d:]+Z policy_denied \(small models: the model gpt-5 is not allowed\)\n/;
  await waitFor('its refusal', async () => refusal.test((await agp(`me ${proxy()}`)).stdout));
  identity.provider.handle(() => ({ status: 401, body: { error: { message: 'Incorrect API key' } } }));
  const { stdout } = await agp(`doctor ${proxy()}/openai/v1 --call gpt-4o`);
  expect(stdout).toMatch(/bad: +gpt-4o: its provider \(key: OPENAI_API_KEY, .*\) answers 401: Incorrect API key/);
});

test('an address that is none of the proxy says whose it is, or which part of the way there fails', async () => {
  using authority = makeTestAuthority();
  const { certFile, keyFile } = authority.issue('localhost');
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { url: management } = identity.system.management;
  for (const [url, says] of [
    [
      `${management}/openai/v1`,
      /^bad: +this is not the proxy: not found: this is the management API.* proxy at http:\/\/proxy\.test\n$/,
    ],
    [`${proxy()}/v1`, /^bad: +the proxy answers: unknown provider: the path lacks it; .*known here: openai/],
    ['http://nobody.invalid/openai/v1', /^DNS: nobody knows the name nobody\.invalid/],
    ['http://127.0.0.1:2/openai/v1', /^connect: nothing answers on 127\.0\.0\.1:2 \(ECONNREFUSED\)/],
    [proxy().replace('http:', 'https:'), /^TLS: .* speaks none: begin with http:/],
    [`https://localhost:${port}`, /^TLS: localhost:\d+ is not trusted here/],
  ] as const) {
    const { code, stdout, stderr } = await agp(`doctor ${url}`);
    expect([code, stdout || stderr]).toEqual([1, expect.stringMatching(says)]);
  }
  server.close();
});

test.each(['openai/v1/chat/completions', 'v1/messages', 'gemini/v1beta/models/x:generateContent', 'models', 'other'])(
  'a client of models that sends /%s to the management API learns it',
  async (path) => {
    const answer = await fetch(`${identity.system.management.url}/${path}`, { method: 'POST', body: '{}' });
    const told = /^not found: this is the management API, .* proxy at http:\/\/proxy\.test$/;
    const error = path === 'other' ? 'not found' : expect.stringMatching(told);
    expect([answer.status, await answer.json()]).toEqual([404, { error }]);
  },
);

test.each([
  [{ AGP_TOKEN: `agm_${'x'.repeat(43)}` }, 1, /bad: +the token: x-agent-token holds a key of the management API/],
  [{ AGP_TOKEN: 'agp_cut' }, 1, /bad: +the token: missing or invalid agent token: .* cut short/],
  [{}, 0, /note: the token: No token: set AGP_TOKEN/],
] as const)('a token such as %j is named', async (environment, code, says) => {
  expect(await agp(`doctor ${proxy()}/openai/v1`, environment)).toMatchObject({
    code,
    stdout: expect.stringMatching(says),
  });
});
