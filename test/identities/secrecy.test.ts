import { eventually } from '@agp/testing';
import { answerCanned, startFakeProvider } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { assembleSystem, launchWithin, type RunningService, stopAllOf } from '../system/start-system.ts';
import { putIdentity } from './support/change-identities.ts';
import { startTestIssuer } from './support/test-issuer.ts';

test('no part of an own token is logged or stored, whether it is taken, refused, exchanged or sent in the wrong place', async () => {
  await using issuer = await startTestIssuer();
  const provider = await startFakeProvider(answerCanned());
  const [running, lines] = [new Set<RunningService>(), [] as string[]];
  const environment = { PROVIDER_OPENAI_URL: provider.url, IDENTITY_ALLOWED_HOSTS: issuer.host, LOG_LEVEL: 'trace' };
  const launch = launchWithin(running, (line) => void lines.push(line));
  await using system = await assembleSystem({ environment }, launch, () => stopAllOf(running));
  await putIdentity(system.database, {
    ...{ name: 'cluster', issuer: issuer.issuer, audiences: ['agp'], keys: { discovery: true } },
    rules: [{ name: 'all', match: { env: ['prod'] }, agent: 'secret.{sub}' }],
  });
  const tokens = [
    await issuer.sign({ sub: 'good', env: 'prod' }),
    await issuer.sign({ sub: 'bad', env: 'dev' }),
    await issuer.sign({ sub: 'late', env: 'prod', exp: 1 }),
  ];
  const url = system.proxies[0]?.url;
  const body = JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] });
  for (const token of tokens) {
    const json = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    for (const [path, headers] of [
      ['/openai/v1/chat/completions', { authorization: `Bearer ${token}` }],
      ['/openai/v1/chat/completions', { 'x-agent-token': token, 'x-request-id': token, 'session-id': token }],
      [`/openai/v1/chat/completions?key=${token}`, {}],
      [`/openai/v1/${token}`, {}],
      [`/${token}/v1/models`, {}],
      [`/agents/${token}/openai/v1/chat/completions`, {}],
      ['/openai/v1/chat/completions', { 'x-session-id': token.slice(0, 250), 'x-agent-name': token.slice(0, 120) }],
    ] as const)
      await (await fetch(`${url}${path}`, { ...json, headers: { ...json.headers, ...headers } })).text();
    const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
    const form = { grant_type, subject_token_type: 'urn:ietf:params:oauth:token-type:jwt', subject_token: token };
    await (await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })).text();
  }
  const tables = ['events', 'refused_requests', 'audit_log', 'agents', 'sessions', 'claimed_names', 'exchanged_tokens'];
  const stored = await eventually(async () => {
    const texts: string[] = [];
    for (const table of tables) {
      const { rows } = await system.database.pool.query(`SELECT each::text FROM ${table} AS each`);
      texts.push(JSON.stringify(rows));
    }
    expect(texts[0]?.length).toBeGreaterThan(1_000);
    expect(texts[1]?.length).toBeGreaterThan(1_000);
    return texts.join('\n');
  });
  await provider.stop();
  const said = `${lines.join('\n')}\n${stored}`;
  expect(lines.length).toBeGreaterThan(20);
  // Header, claims and signature of each; the header is the same in all.
  for (const part of tokens.flatMap((token) => token.split('.'))) {
    const at = said.indexOf(part.slice(0, 24));
    expect(at < 0 ? '' : said.slice(Math.max(0, at - 300), at + 100)).toBe('');
  }
});
