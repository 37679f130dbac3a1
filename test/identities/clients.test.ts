import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentitySystem, startIdentitySystem } from '../control/support/identity-system.ts';
import { readSnippets } from '../docs/read-snippets.ts';
import { runSnippet } from '../docs/run-snippet.ts';
import { putIdentity } from './support/change-identities.ts';
import { startTestIssuer, type TestIssuer } from './support/test-issuer.ts';

let issuer: TestIssuer;
let system: IdentitySystem;
const folder = mkdtempSync(join(tmpdir(), 'agp-token-'));
const file = join(folder, 'token');

beforeAll(async () => {
  issuer = await startTestIssuer();
  system = await startIdentitySystem('token', { IDENTITY_ALLOWED_HOSTS: issuer.host });
  await putIdentity(system.system.database, {
    ...{ name: 'cluster', issuer: issuer.issuer, audiences: ['agp'], keys: { discovery: true } },
    rules: [{ name: 'all', agent: '{sub}' }],
  });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The platform writes a fresh token. */
const renew = async (sub: string) => writeFileSync(file, await issuer.sign({ sub, jti: Math.random() }));
const url = () => system.system.proxies[0]?.url ?? '';

test.each(
  readSnippets('docs/clients.md', 'mjs').map((snippet) => [/from '(?!node:)([^']+)'/.exec(snippet)?.[1], snippet]),
)(
  'the snippet of the page for %s sends the token of the file, read again for each request',
  async (module, snippet = '') => {
    const sub = `snippet-${module}`;
    await renew(sub);
    const before = system.provider.requests.length;
    const environment = { AGP_TOKEN_FILE: file };
    await runSnippet(snippet.replaceAll('/var/run/secrets/agp/token', file), url(), environment);
    expect(await system.countAgents(sub)).toBe(1);
    expect(JSON.stringify(system.provider.requests.slice(before).map(({ rawHeaders }) => rawHeaders))).not.toContain(
      'eyJ',
    );
  },
);

test('a client that begins with one token goes on with the next', async () => {
  const sent: string[] = [];
  const client = new OpenAI({
    ...{ baseURL: `${url()}/openai/v1`, maxRetries: 0 },
    apiKey: async () => {
      await renew('long-lived');
      const token = await issuer.sign({ sub: 'long-lived', jti: Math.random() });
      sent.push(token);
      return token;
    },
  });
  for (let times = 0; times < 3; times += 1) await client.models.list().catch(() => {});
  expect(new Set(sent).size).toBe(3);
  expect(await system.countAgents('long-lived')).toBe(1);
});

test('a client that can hold one key alone holds an exchanged one', async () => {
  const answer = await fetch(`${url()}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      subject_token: await issuer.sign({ sub: 'one-key' }),
    }),
  });
  const { access_token: apiKey } = (await answer.json()) as { access_token: string };
  const gemini = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${url()}/gemini` } });
  const found = await gemini.models.generateContent({ model: 'gemini-2.5-flash', contents: 'Hello' });
  expect(found.sdkHttpResponse?.headers?.['x-agent-id']).toMatch(/^agt_/);
});
