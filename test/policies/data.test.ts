import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { labelPattern } from '@agp/pii/label';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { calls, joined, readText, streams } from './data-calls.ts';
import { numberLabels } from './number-labels.ts';

/** What the provider answers next; null repeats what it was asked. */
let words: string[] | null = null;
/** What the provider writes as it is; null for none. */
let steps: string[] | null = null;
interface Asked {
  direction: string;
  texts: { id: number; text: string }[];
}

/** What the check outside answers. */
let judge: (asked: Asked) => object = () => ({ action: 'allow' });
let checker: Server;
let provider: FakeProvider;
let system: System;
const made: string[] = [];
const email = 'john.doe@example.com';
const card = '4111 1111 1111 1111';

beforeAll(async () => {
  provider = await startFakeProvider((request, index) => {
    const [, asked = ''] = /say: (.*?)"/.exec(request.body.toString()) ?? [];
    if (steps !== null) return { headers: { 'content-type': 'text/event-stream' }, body: { steps } };
    const said = words ?? asked.match(/.{1,3}/gsu) ?? ['nothing'];
    return answerCanned({ words: said })(request, index);
  });
  const urls = ['OPENAI', 'ANTHROPIC', 'GEMINI', 'BEDROCK'].map((id) => [`PROVIDER_${id}_URL`, provider.url]);
  checker = createServer((request, response) => {
    request.toArray().then(
      (chunks: Buffer[]) => {
        const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
        response.end(JSON.stringify(judge(asked)));
      },
      () => {},
    );
  }).listen(0, '127.0.0.1');
  await once(checker, 'listening');
  const checkUrl = `127.0.0.1:${(checker.address() as AddressInfo).port}`;
  const environment = {
    ...Object.fromEntries(urls),
    PII_HASH_KEY: 'k'.repeat(32),
    CHECK_SECRET: `whsec_${Buffer.from('c'.repeat(32)).toString('base64')}`,
    CHECK_ALLOWED_HOSTS: checkUrl,
  };
  system = await startSystem({ proxies: 2, environment });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
  checker?.close();
});
afterEach(async () => {
  words = null;
  steps = null;
  const headers = { authorization: `Bearer ${system.apiKey}` };
  for (const id of made.splice(0))
    await fetch(`${system.management.url}/api/v1/policies/${id}`, { method: 'DELETE', headers });
});

async function apply(pii: object, policy: object = {}): Promise<void> {
  made.push(await post({ name: 'data', mode: 'enforce', pii, ...policy }));
}

let sent = 0;
async function send([path, body]: readonly [string, object] | (string | object)[], session?: string) {
  const agent = `data-${++sent}`;
  const response = await fetch(`${system.proxies[sent % 2]?.url}${path as string}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-agent-name': session ?? agent,
      'x-api-key': 'sk',
      ...(session && { 'x-session-id': session }),
    },
    body: JSON.stringify(body),
  });
  const text = await readText(response);
  return { status: response.status, text, event: response.headers.get('x-event-id'), headers: response.headers };
}

interface Recorded {
  forwarded_sha256: string | null;
  outcome: string;
  decision: object[] | null;
}

const readEvent = (id: string | null) =>
  waitFor('the event', () => system.api<Recorded>(`/api/v1/events/${id}/detail`).catch(() => undefined));

/** With labels by number. */
const received = () => numberLabels(provider.requests.at(-1)?.body.toString() ?? '');

const labelIn = (text = '') => text.match(labelPattern)?.[0];

describe.each(Object.entries(calls))('a request by %s', (_name, call) => {
  test('that holds what is blocked is refused before a byte leaves', async () => {
    await apply({ request: { payment_card: 'block' } });
    const before = provider.requests.length;
    const { status, text } = await send(call(`pay with ${card}`) as [string, object]);
    expect([status, text]).toEqual([403, expect.stringContaining('rule pii.request): its texts hold credit_card')]);
    expect(text).not.toContain('4111');
    expect(provider.requests.length).toBe(before);
  });

  test('goes on with a label in the place of what is redacted', async () => {
    await apply({ request: { email: 'redact', phone: 'flag' } });
    const { status, event } = await send(call(`say: write to ${email} “now” or to ${email}`) as [string, object]);
    expect(status).toBe(200);
    expect(received()).toContain('write to [email 1] “now” or to [email 1]');
    const { forwarded_sha256, decision } = await readEvent(event);
    expect(forwarded_sha256).toBe(
      createHash('sha256')
        .update(provider.requests.at(-1)?.body ?? '')
        .digest('hex'),
    );
    expect(decision).toEqual([
      { policy: 'data', version: 1, rule: 'pii.request', action: 'redact', found: { email: 2 } },
    ]);
  });
});

describe.each([...Object.entries(calls), ...Object.entries(streams)])('an answer by %s', (_name, call) => {
  const isWhole = Object.values<unknown>(calls).includes(call) || _name === 'gemini as an array';

  test('comes without what is redacted, however it is cut', async () => {
    await apply({ response: { contact: 'redact' } });
    for (const length of [1, 2, 7, 100]) {
      words = `Ask ${email} or call +44 20 7946 0958 today.`.match(new RegExp(`.{1,${length}}`, 'g'));
      const { status, text, event, headers } = await send(call('hello') as [string, object]);
      const changed = headers.get('x-agp-answer-changed');
      expect([status, changed]).toEqual([200, isWhole ? 'yes' : 'maybe']);
      expect(text).not.toMatch(/example\.com|7946 0958/);
      expect(numberLabels(joined(text))).toContain('Ask [email 1] or call [phone 1] today.');
      expect((await readEvent(event)).decision).toMatchObject([{ rule: 'pii.response', action: 'redact' }]);
    }
  });

  test('ends before what is blocked', async () => {
    await apply({ response: { email: 'block' } });
    words = `Ask ${email} today.`.match(/.{1,3}/g);
    const { text, event } = await send(call('hello') as [string, object]);
    expect(text).not.toMatch(/john|example\.com/);
    expect(text).toContain('denied by policy data (rule pii.response): its texts hold email');
    expect(await readEvent(event)).toMatchObject({
      outcome: 'killed',
      decision: [{ action: 'cut', found: { email: 1 } }],
    });
  });

  test('has what a label stands for put back for its agent', async () => {
    await apply({ request: { email: 'redact' }, restore: true });
    const session = `restoring-${_name}-${sent}`;
    const { text, headers } = await send(call(`say: write to ${email} now`) as [string, object], session);
    expect(headers.get('x-agp-answer-changed')).toBe(isWhole ? null : 'maybe');
    expect(received()).toContain('[email 1]');
    expect(joined(text)).toContain(`write to ${email} now`);
    const label = labelIn(provider.requests.at(-1)?.body.toString());
    const other = await send(call(`say: no label ${label} of another agent`) as [string, object]);
    expect(joined(other.text)).toContain(`no label ${label}`);
  });
});

test('what a rule keeps from an answer is not put back, nor what a model wrote', async () => {
  await apply({ request: { email: 'redact' }, restore: true });
  made.push(await post({ name: 'kept', mode: 'enforce', pii: { response: { email: 'redact' } } }));
  const session = 'kept-from-interns';
  words = [`ask ${email} or other@example.org`];
  const first = await send(calls.chat(`write to ${email}`), session);
  expect(numberLabels(joined(first.text))).toContain('ask [email 1] or [email 2]');
  const [own, other] = joined(first.text).match(labelPattern) ?? [];
  expect(labelIn(provider.requests.at(-1)?.body.toString())).toBe(own);
  words = [`print ${own} ${other}`];
  expect(joined((await send(calls.chat(`print ${own} ${other}`), session)).text)).toBe(`print ${own} ${other}`);
});

test('a session with what rules of data decided verifies', async () => {
  await apply({ request: { email: 'redact' } });
  const { event } = await send(calls.chat(`write to ${email}`), 'verified');
  await readEvent(event);
  const id = await waitFor(
    'the session',
    async () => (await system.api<{ session_id: string }>(`/api/v1/events/${event}/detail`)).session_id,
  );
  expect(await system.api(`/api/v1/lineage/${id}/verify`)).toMatchObject({ valid: true });
});

test('comments, blank frames and ends of lines cut in two pass through a stream that is searched', async () => {
  await apply({ response: { email: 'redact' } });
  const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}`;
  steps = [
    ': keep-alive\n\n',
    `${chunk('ask jo')}\r\n\r`,
    `\n: again\r\n\r\n${chunk('hn@example.com ')}\r\n\r\n`,
    'data: [DONE]\r\n\r\n',
  ];
  const { text } = await send(streams.chat?.('hello') as [string, object]);
  expect(numberLabels(joined(text))).toBe('ask [email 1] ');
  expect(text).toMatch(/: keep-alive[\s\S]*: again[\s\S]*\[DONE\]/);
});

test('a rule that flags is recorded beside one that redacts, and refuses what cannot be searched', async () => {
  await apply({ request: { email: 'redact', payment_card: 'flag' } });
  const { event } = await send(calls.chat(`${email} ${card}`));
  expect((await readEvent(event)).decision).toMatchObject([{ action: 'redact', found: { email: 1, credit_card: 1 } }]);
});

test('a request without a body passes a check, which is not asked', async () => {
  made.push(await post({ name: 'checked', mode: 'enforce', ...check({ request: true, response: true }) }));
  judge = () => ({ action: 'block' });
  const response = await fetch(`${system.proxies[0]?.url}/openai/v1/models`, { headers: { 'x-agent-name': 'lists' } });
  expect(response.status).not.toBe(403);
});

test('a check is asked about single words, and what it puts in stays if another rule changes the body too', async () => {
  let asks = 0;
  judge = (asked) => (asks++ === 0 ? { action: 'redact', findings: findSecret(asked) } : { action: 'allow' });
  const limits = { max_output_tokens: 50, over: 'lower' };
  made.push(await post({ name: 'checked', mode: 'enforce', limits, ...check({ request: true }) }));
  const [path, body] = calls.chat('Aurora');
  await send([path, { ...body, max_tokens: 100 }]);
  expect(JSON.parse(received())).toMatchObject({ max_tokens: 50, messages: [{ content: '[project]' }] });
});

test.each([
  ['last_four', 'pay ****1111 now'],
  ['hash', /pay \[credit_card [0-9a-f]{12}\] now/],
])('%s stands in the place of a card', async (put, expected) => {
  await apply({ request: { payment: 'redact' }, replace_with: put });
  await send(calls.chat(`pay ${card} now`) as [string, object]);
  expect(received()).toMatch(expected);
});

test('a picture and an unknown path cannot be searched, and the refusal says which', async () => {
  await apply({ request: { all: 'block' } });
  const picture = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } };
  const body = {
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'what?' }, picture] }],
  };
  expect((await send(['/openai/v1/chat/completions', body])).text).toContain(
    'not all of it can be searched for personal data: the member \\"url\\", which is a picture, sound or a file',
  );
  const tokens = { model: 'text-embedding-3-small', input: [[15339, 1917]] };
  expect((await send(['/openai/v1/embeddings', tokens])).text).toContain('the member \\"input\\", which is tokens');
  expect((await send(['/openai/v1/strange', { text: 'hi' }])).text).toContain('a body on a path that is not known');
});

test('what a rule only observes passes, and is recorded', async () => {
  await apply({ request: { email: 'block' }, response: { email: 'redact' } }, { mode: 'observe' });
  const { text, event } = await send(calls.chat(`say: write to ${email}`) as [string, object]);
  expect(text).toContain(email);
  expect((await readEvent(event)).decision).toEqual([
    { policy: 'data', version: 1, rule: 'pii.response', action: 'observe', found: { email: 1 } },
    { policy: 'data', version: 1, rule: 'pii.request', action: 'observe', found: { email: 1 } },
  ]);
});

const findSecret = ({ texts }: Asked) =>
  texts.flatMap(({ id, text }) =>
    [...text.matchAll(/Aurora/g)].map(({ index: start }) => ({ id, start, end: start + 6, kind: 'project' })),
  );

const check = (member: object) => ({
  check: { url: `http://127.0.0.1:${(checker.address() as AddressInfo).port}/`, ...member },
});

describe.each([...Object.entries(calls), ...Object.entries(streams)])('a check of %s', (_name, call) => {
  test('replaces in requests and answers, and blocks both', async () => {
    judge = (asked) => ({ action: 'redact', findings: findSecret(asked) });
    made.push(await post({ name: 'checked', mode: 'enforce', ...check({ request: true, response: true }) }));
    words = 'The “name” is Aurora, yes.'.match(/.{1,3}/gsu);
    const { text, event } = await send(call('what is Aurora?') as [string, object]);
    expect(received()).toContain('what is [project]?');
    expect(joined(text)).toContain('The “name” is [project], yes.');
    expect(text).not.toContain('Aurora');
    const { decision } = await readEvent(event);
    expect(decision).toMatchObject([
      { rule: 'check.response', action: 'redact' },
      { rule: 'check.request', action: 'redact', found: { project: 1 } },
    ]);
    judge = ({ direction }) => ({ action: direction === 'response' ? 'block' : 'allow', reason: 'it names a project' });
    const cut = await send(call('what is it?') as [string, object]);
    expect(cut.text).toContain('denied by policy checked (rule check.response): ');
    expect(cut.text).not.toContain('Aur');
  });
});

async function post(policy: object): Promise<string> {
  return (await system.api<{ id: string }>('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) })).id;
}
