import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { policySchema } from '@agp/policy';
import { direct } from '@agp/runtime/egress';
import { findFreePort } from '@agp/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checks as bounds } from '../limits.ts';
import { type CheckFailure, createChecks } from './checks.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const call = {
  ...({ direction: 'request', eventId: 'evt_1', agent: 'a', agentId: 'agt_1', sessionId: 'ses_1' } as const),
  ...{ provider: 'openai', model: 'gpt-5', tag: '' },
};
/** Its unit 3 is within a character. */
const texts = [{ id: 7, text: 'ab😀 hush-hush' }];

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

const say =
  (answer: unknown): Handle =>
  (_, response) =>
    response.end(JSON.stringify(answer));

async function startCheck(handle: Handle) {
  const server = createServer((request, response) => void handle(request, response));
  let connections = 0;
  server.on('connection', () => ++connections);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => server.closeAllConnections() ?? void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/check?of=us`, countConnections: () => connections };
}

function start({ allowedHosts, ...options }: Partial<Parameters<typeof createChecks>[0]> & { allowedHosts: string[] }) {
  const failures: CheckFailure[] = [];
  const results: string[] = [];
  const checks = createChecks({
    ...{ readSecrets: () => [secret], allowedHosts, egress: direct, ...options },
    onResult: (result) => results.push(result),
    onFailure: (failure) => failures.push(failure),
  });
  onTestFinished(() => checks.stop());
  return { checks, failures, results };
}

const makePolicy = (url: string, check: object = {}, name = 'bank.v1') =>
  policySchema.parse({ name, check: { url, timeout_ms: 10_000, ...check } });

test('a check gets the texts of a call, signed by each secret, over connections that are kept, and its answer is taken', async () => {
  const got: { headers: IncomingMessage['headers']; body: string }[] = [];
  const findings = [
    { id: 7, start: 10, end: 14, kind: 'word' },
    { id: 7, start: 2, end: 4, kind: 'constructor', replace: '' },
  ];
  const check = await startCheck(async (request, response) => {
    got.push({ headers: request.headers, body: await readText(request) });
    response.end(JSON.stringify({ action: 'redact', reason: null, findings, more: 1 }));
  });
  const { checks, results } = start({ allowedHosts: [check.host], readSecrets: () => [secret, other] });
  const policy = makePolicy(check.url);
  for (let turn = 0; turn < 5; turn += 1)
    expect(await checks.ask(policy, call, texts)).toEqual({
      verdict: {
        action: 'redact',
        reason: `its check (${check.host}) finds constructor, word`,
        found: { word: 1, constructor: 1 },
      },
      replacements: [
        { id: 7, start: 2, end: 4, kind: 'constructor', text: '' },
        { id: 7, start: 10, end: 14, kind: 'word', text: '[word]' },
      ],
    });
  expect(results).toEqual(Array(5).fill('redact'));
  expect(check.countConnections(), 'they are kept').toBeLessThan(5);
  const [{ headers, body }] = got as [(typeof got)[0]];
  expect(JSON.parse(body)).toEqual({
    ...{ type: 'agp.check', version: 1, direction: 'request', event_id: 'evt_1', policy: 'bank.v1', agent: 'a' },
    ...{ agent_id: 'agt_1', session_id: 'ses_1', provider: 'openai', model: 'gpt-5', tag: '', texts },
  });
  expect(headers['webhook-id']).toBe('evt_1:request:bank~v1');
  expect(headers['webhook-signature']?.toString().split(' ')).toHaveLength(2);
  expect(await checks.ask(policy, call, [])).toMatchObject({ verdict: { action: 'allow' } });
  expect(got).toHaveLength(5);
});

test.each(['allow', 'flag', 'block'] as const)(
  '%s replaces nothing, and what a check says of it is told',
  async (action) => {
    const check = await startCheck(
      say({ action, reason: 'ask Eve', findings: [{ id: 7, start: 0, end: 2, kind: 'word' }] }),
    );
    const { checks } = start({ allowedHosts: [check.host] });
    const verdict = { action, reason: 'ask Eve', found: { word: 1 } };
    expect(await checks.ask(makePolicy(check.url), call, texts)).toEqual({ verdict, replacements: [] });
  },
);

const finding = { id: 7, start: 5, end: 9, kind: 'word' };
const redact = (...findings: object[]): Handle => say({ action: 'redact', findings });
const write =
  (status: number, head: Record<string, string>, body: string): Handle =>
  (_, response) =>
    response.writeHead(status, head).end(body);

/** What a check does, and what operators read of it. */
const failing: [string, Handle, string | RegExp, object?][] = [
  ['hangs', () => {}, 'did not answer within 200 ms', { timeout_ms: 200 }],
  ['stops in its answer', (_, to) => to.write('{'), 'did not answer within 200 ms', { timeout_ms: 200 }],
  ['drips', drip, 'did not answer within 200 ms', { timeout_ms: 200 }],
  ['fails', write(500, {}, 'hush-hush'), 'HTTP 500'],
  ['redirects', write(307, { location: '/there' }, ''), 'HTTP 307: redirects are not followed'],
  ['says nothing', write(204, {}, ''), 'HTTP 204'],
  ['hangs up', (request) => request.socket.destroy(), /other side closed|ECONNRESET/],
  ['hangs up in its answer', hangUp, /terminated|aborted|closed/],
  ['answers no JSON', write(200, {}, 'hush-hush'), 'is not JSON'],
  ['answers deep JSON', write(200, {}, '['.repeat(100_000)), 'nests too deep'],
  ['answers a megabyte', say({ action: 'allow', more: 'x'.repeat(1_048_576) }), 'answers with more than 262144 bytes'],
  ['answers a list', say([]), /^answer: Invalid input: expected object/],
  ['has another action', say({ action: 'hush-hush' }), /^action: Invalid option/],
  ['tells a long reason', say({ action: 'block', reason: 'x'.repeat(257) }), /^reason: Too big/],
  ['tells of controls', say({ action: 'block', reason: '\u001b[2J' }), 'reason: must be printable'],
  ['replaces nothing', redact(), 'findings: must hold what redact replaces'],
  ['names another text', redact({ ...finding, id: 8 }), 'findings: are no part of a text: 5 to 9 of text 8'],
  ['begins before', redact({ ...finding, start: -1 }), /^findings.0.start: Too small/],
  ['ends behind', redact({ ...finding, end: 15 }), 'findings: are no part of a text: 5 to 15 of text 7'],
  ['is empty', redact({ ...finding, end: 5 }), 'findings: are no part of a text: 5 to 5 of text 7'],
  ['is half', redact({ ...finding, end: 7.5 }), /^findings.0.end: Invalid input/],
  ['begins in a character', redact({ ...finding, start: 3 }), /begin or end within a character: 3 to 9/],
  ['ends in a character', redact({ ...finding, start: 0, end: 3 }), /begin or end within a character: 0 to 3/],
  ['overlaps', redact({ ...finding, start: 8, end: 10 }, finding), 'findings: may not overlap: 8 to 10 of text 7'],
  ['names no kind', redact({ ...finding, kind: 'Hush-hush' }), /^findings.0.kind: must be up to 64/],
  ['puts in controls', redact({ ...finding, replace: '\n' }), 'findings.0.replace: must be printable'],
  ['puts in much', redact({ ...finding, replace: 'x'.repeat(513) }), /^findings.0.replace: Too big/],
  [
    'has many kinds',
    redact(...Array.from({ length: 65 }, (_, at) => ({ ...finding, kind: `k${at}` }))),
    /at most 64 kinds/,
  ],
];

function hangUp(_: IncomingMessage, response: ServerResponse) {
  response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy());
}

async function drip(_: IncomingMessage, response: ServerResponse) {
  while (!response.destroyed) {
    response.write(' ');
    await setTimeout(10);
  }
}

describe('a check that', () => {
  test.each(failing)('%s', async (_, handle, error, settings) => {
    const check = await startCheck(handle);
    const { checks, failures, results } = start({ allowedHosts: [check.host] });
    const ask = (onFailure: string) =>
      checks.ask(makePolicy(check.url, { ...settings, on_failure: onFailure }), call, texts);
    const told = settings ? 'did not answer within 200 ms' : 'failed';
    const failed = { reason: `its check (${check.host}) ${told}`, found: { not_checked: 1 } };
    expect(await ask('refuse')).toEqual({ verdict: { ...failed, action: 'block', hasFailed: true }, replacements: [] });
    expect(await ask('allow')).toEqual({ verdict: { ...failed, action: 'flag' }, replacements: [] });
    expect(failures[0]).toEqual({
      ...{ policy: 'bank.v1', host: check.host },
      error: typeof error === 'string' ? error : expect.stringMatching(error),
    });
    expect(results).toEqual(Array(2).fill(settings ? 'late' : 'failed'));
    expect(JSON.stringify(failures)).not.toMatch(/hush-hush/i);
  });
});

test('what is too much, unsigned, not listening, private or without TLS is a failure that says so', async () => {
  const closed = `127.0.0.1:${await findFreePort()}`;
  const look = ((_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
    callback(null, [{ address: '10.0.0.7', family: 4 }])) as unknown as typeof lookup;
  const { checks, failures } = start({ allowedHosts: [closed], look });
  const ask = async (url: string, asked: readonly { id: number; text: string }[] = texts, from = checks) =>
    (await from.ask(makePolicy(url), call, asked)).verdict.reason;
  expect(await ask(`http://${closed}/`)).toBe(`its check (${closed}) failed`);
  const tooMuch = /cannot be asked: what is to be checked is over the limit of a check$/;
  expect(await ask('https://a.example', [{ id: 1, text: 'ä'.repeat(bounds.textBytes / 2 + 1) }])).toMatch(tooMuch);
  expect(await ask('https://a.example', Array(bounds.texts + 1).fill(texts[0]))).toMatch(tooMuch);
  expect(await ask('https://a.example', texts, start({ allowedHosts: [], readSecrets: () => [] }).checks)).toMatch(
    /CHECK_SECRET/,
  );
  for (const url of ['https://a.example/', 'https://127.0.0.1/', 'http://a.example']) await ask(url);
  const [refused, , , ...guarded] = failures.map(({ error }) => error);
  expect(refused).toContain('ECONNREFUSED');
  expect(guarded).toEqual([
    'address is private: 10.0.0.7: CHECK_ALLOWED_HOSTS does not name its host',
    'address is private: 127.0.0.1: CHECK_ALLOWED_HOSTS does not name its host',
    'has no TLS: CHECK_ALLOWED_HOSTS does not name its host',
  ]);
});

test('a check that hangs holds up its own policy alone, of which 64 calls wait and no more', async () => {
  let hanging = 0;
  const check = await startCheck(({ url }, response) => {
    if (url === '/hangs') hanging += 1;
    else response.end('{"action":"allow"}');
  });
  const { checks, results } = start({ allowedHosts: [check.host] });
  const hung = makePolicy(`http://${check.host}/hangs`);
  const waiting = Array.from({ length: bounds.atOnce }, () => checks.ask(hung, call, texts));
  await expect.poll(() => hanging).toBe(bounds.atOnce);
  expect((await checks.ask(hung, call, texts)).verdict).toMatchObject({ reason: /has 64 others/, hasFailed: true });
  const free = makePolicy(check.url, {}, 'free');
  await Promise.all(Array.from({ length: 50 }, () => checks.ask(free, call, texts)));
  expect(results).toEqual(['overloaded', ...Array(50).fill('allow')]);
  await checks.stop();
  for (const { verdict } of await Promise.all(waiting)) expect(verdict.hasFailed).toBe(true);
});

test('a connection that its server closed while idle is made anew', async () => {
  const used = new WeakSet<object>();
  const check = await startCheck(({ socket }, response) => {
    if (used.has(socket)) socket.destroy();
    else response.end('{"action":"allow"}');
    used.add(socket);
  });
  const { checks, results } = start({ allowedHosts: [check.host] });
  for (let turn = 0; turn < 3; turn += 1) await checks.ask(makePolicy(check.url), call, texts);
  expect(results).toEqual(['allow', 'allow', 'allow']);
});
