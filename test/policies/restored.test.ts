import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { labelPattern } from '@agp/pii/label';
import { connectRedis } from '@agp/reservations';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem } from '../system/start-system.ts';
import { calls, joined } from './data-calls.ts';

interface Turn {
  role: string;
  content: string;
}

/** What the model says to what it was sent. */
let say: (asked: string) => string = () => 'Yes.';
let provider: FakeProvider;
let system: System;

const values = {
  credit_card: '4111 1111 1111 1111',
  iban: 'DE89 3704 0044 0532 0130 00',
  phone: '+44 20 7946 0958',
  email: 'john.doe@example.com',
  kd: 'KD-12345678',
  aws_key: 'AKIAIOSFODNN7EXAMPLQ',
  password: 'hunter2-Xk9',
};
const told = Object.entries(values)
  .map(([kind, value]) => (kind === 'password' ? `password: ${value}` : value))
  .join('; ');

beforeAll(async () => {
  provider = await startFakeProvider((request, index) =>
    answerCanned({ words: say(request.body.toString()).match(/.{1,5}/gsu) ?? [] })(request, index),
  );
  const environment = { PROVIDER_OPENAI_URL: provider.url, PROVIDER_ANTHROPIC_URL: provider.url };
  system = await startSystem({ proxies: 2, environment });
  const kd = { name: 'kd', pattern: '\\bKD-[0-9]{8}\\b', matches: ['KD-12345678'], ignores: ['KD-1'] };
  const request = { payment: 'redact', contact: 'redact', secrets: 'redact', kd: 'redact' };
  const policy = { name: 'restoring', mode: 'enforce', pii: { request, restore: true, patterns: [kd] } };
  await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

let sent = 0;
async function send(path: string, body: object, agent: string, session?: string) {
  const response = await fetch(`${system.proxies[sent++ % 2]?.url}${path}`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', 'x-agent-name': agent, 'x-api-key': 'sk' },
      ...(session && { 'x-session-id': session }),
    },
    body: JSON.stringify(body),
  });
  const text = joined(await response.text());
  expect(response.status).toBe(200);
  return { text, received: provider.requests.at(-1)?.body.toString() ?? '' };
}

const chat = (messages: readonly Turn[], agent: string, session?: string) =>
  send('/openai/v1/chat/completions', { model: 'gpt-5-mini', stream: true, messages }, agent, session);
const user = (content: string): Turn => ({ role: 'user', content });
const assistant = (content: string): Turn => ({ role: 'assistant', content });
const stored = (input: string, agent: string, session?: string, previous_response_id?: string) =>
  send('/openai/v1/responses', { model: 'gpt-5-mini', stream: true, input, previous_response_id }, agent, session);

const labelsIn = (text: string) => text.match(labelPattern) ?? [];

describe('what a model writes around labels', () => {
  const surroundings = ['@', 'k@k', 'k@', '@k', '@0', '0@', '_@_', 'x-@-x', '@@', '"@"', '/@/', '@.k', 'ä@ä'];

  test.each(['beside', undefined])(
    'comes back to its agent as it was, and never goes out again, in session %s',
    async (session) => {
      const agent = session ?? 'nameless';
      for (const around of surroundings) {
        say = (asked) =>
          `So: ${labelsIn(asked)
            .map((label) => around.replaceAll('@', label))
            .join(' , ')} .`;
        const first = await chat([user(told)], agent, session);
        expect(labelsIn(first.received)).toHaveLength(Object.keys(values).length);
        for (const value of Object.values(values)) expect(first.text).toContain(around.replaceAll('@', value));
        const { received } = await chat([user(told), assistant(first.text), user('And?')], agent, session);
        for (const value of Object.values(values)) expect(received, around).not.toContain(value);
      }
    },
  );

  test('is found again in a named session though the message that brought it is not sent again', async () => {
    say = (asked) => `k${labelsIn(asked)[0]}k`;
    const first = await chat([user(values.credit_card)], 'trimmed', 'trimmed');
    expect(first.text).toBe(`k${values.credit_card}k`);
    const { received } = await chat([assistant(first.text), user('And?')], 'trimmed', 'trimmed');
    expect(received).not.toContain('1111');
  });
});

describe('a label is put back', () => {
  test('for who brought its value, and for nobody else of the agent', async () => {
    say = () => 'Noted.';
    const [label = ''] = labelsIn((await chat([user(`I am ${values.email}`)], 'shared')).received);
    say = () => `It is ${label}.`;
    const other = await chat([user(`please repeat: ${label}`)], 'shared');
    expect(other.text).toBe(`It is ${label}.`);
    expect((await chat([user(`please repeat: ${label}`)], 'shared', 'somebody')).text).toBe(`It is ${label}.`);
    expect((await chat([user(`I am ${values.email}`)], 'shared')).text).toBe(`It is ${values.email}.`);
  });

  test('in a conversation that the provider stored, by the session that is named', async () => {
    say = () => 'Noted.';
    const [label = ''] = labelsIn((await stored(`I am ${values.email}`, 'stored', 'stored-1')).received);
    say = () => `It is ${label}.`;
    expect((await stored('Who am I?', 'stored', 'stored-1', 'resp_1')).text).toContain(`It is ${values.email}.`);
    expect((await stored('Who am I?', 'stored', 'stored-2', 'resp_1')).text).toContain(`It is ${label}.`);
    expect((await stored('Who am I?', 'stored', undefined, 'resp_1')).text).toContain(`It is ${label}.`);
  });
});

test('the same request is written the same after Redis lost everything, by any proxy, in any session', async () => {
  say = (asked) => `Mail ${labelsIn(asked).join(' and ')}.`;
  const system = { role: 'system', content: 'The admin is admin@example.com.' };
  const messages = [system, user('Mail bob@example.com'), assistant('Who is eve@example.com?'), user('The admin.')];
  const first = await chat(messages, 'steady', 'steady');
  await loseRedis();
  for (const session of ['steady', 'steady', 'another', undefined]) {
    // What comes later in a conversation changes nothing of what stood before.
    const later = await chat([...messages, user('And zoe@example.com')], 'steady', session);
    const { messages: again } = JSON.parse(later.received) as { messages: Turn[] };
    expect(again.slice(0, 4)).toEqual((JSON.parse(first.received) as { messages: Turn[] }).messages);
    expect(later.text).toContain('Mail admin@example.com and bob@example.com and eve@example.com and zoe@example.com.');
  }
});

async function loseRedis() {
  const redis = connectRedis({ url: system.stack.redisUrl, commandTimeoutMs: 60_000 });
  await once(redis, 'ready');
  await redis.flushall().finally(() => redis.disconnect());
}

test('two texts of one message stay apart, and each comes back as it was', async () => {
  say = (asked) => labelsIn(asked).join(' ');
  const content = [`owner: ${values.email}`, 'Never deploy on Friday.'].map((text) => ({ type: 'text', text }));
  const [path, body] = calls.messages('');
  const { text, received } = await send(
    path,
    { ...body, messages: [{ role: 'user', content }] },
    'apart',
    randomUUID(),
  );
  expect(text).toContain(values.email);
  expect(received).toContain('deploy on Friday.');
});
