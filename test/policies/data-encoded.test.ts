import { gzipSync } from 'node:zlib';
import { labelPattern } from '@agp/pii/label';
import { writeForm } from '@agp/testing/corpus';
import { cannedAnswer, chatReply, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

let provider: FakeProvider;
let system: System;
const email = 'john.doe@example.com';
const policies = {
  blocking: { pii: { request: { email: 'block' } } },
  redacting: { pii: { request: { email: 'redact' } } },
  lenient: { pii: { request: { email: 'redact' } }, unreadable: 'allow' },
  flagging: { pii: { request: { email: 'flag' } } },
  guarding: { pii: { response: { email: 'redact' } } },
  passing: { pii: { response: { email: 'redact' } }, unreadable: 'allow' },
  restoring: { pii: { request: { contact: 'redact' }, restore: true } },
};

beforeAll(async () => {
  provider = await startFakeProvider(({ target, body, headers }) => {
    if (target.endsWith('transcriptions')) return { body: { text: 'hi' } };
    if (headers['x-encode'] === undefined) return chatReply(answerTo(body.toString()));
    const written = JSON.stringify(chatReply({ ...cannedAnswer, words: [email] }).body);
    return { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' }, body: gzipSync(written) };
  });
  system = await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url } });
  for (const [name, policy] of Object.entries(policies)) {
    const body = JSON.stringify({ name, mode: 'enforce', match: { agents: [name] }, ...policy });
    await system.api('/api/v1/policies', { method: 'POST', body });
  }
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

/** Calls a tool with the label that it was given, and one that it makes up. */
function answerTo(asked: string) {
  const [label = 'nothing'] = asked.match(labelPattern) ?? [];
  const args = { to: label, made_up: '[postal_address bcdfgh]', inner: JSON.stringify([label]) };
  return { ...cannedAnswer, toolCalls: [{ id: 'call_1', name: 'mail', arguments: JSON.stringify(args) }] };
}

async function send(
  agent: keyof typeof policies,
  body: Buffer<ArrayBuffer>,
  headers: Record<string, string>,
  path = 'chat/completions',
) {
  const response = await fetch(`${system.proxies[0]?.url}/openai/v1/${path}`, {
    ...{ method: 'POST', headers: { 'x-agent-name': agent, ...headers }, body },
  });
  return { status: response.status, text: await response.text(), event: response.headers.get('x-event-id') };
}

const json = { 'content-type': 'application/json' };
const chat = (content: string) =>
  Buffer.from(JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] }));
const zipped = (content: string) => Buffer.from(gzipSync(chat(content)));
const gzip = { ...json, 'content-encoding': 'gzip' };

describe('a body in gzip', () => {
  test('is searched: it can be blocked, and not redacted', async () => {
    const before = provider.requests.length;
    const blocked = await send('blocking', zipped(email), gzip);
    expect([blocked.status, blocked.text]).toEqual([403, expect.stringContaining('its texts hold email')]);
    for (const agent of ['redacting', 'lenient'] as const)
      expect((await send(agent, zipped(email), gzip)).text).toContain(
        'cannot be replaced in a form or an encoded body',
      );
    expect(provider.requests.length).toBe(before);
  });

  test('that holds nothing, or what is flagged, passes as it was sent', async () => {
    expect((await send('redacting', zipped('hello'), gzip)).status).toBe(200);
    const { status, event } = await send('flagging', zipped(email), gzip);
    expect([status, provider.requests.at(-1)?.body.equals(zipped(email))]).toEqual([200, true]);
    const recorded = await waitFor('the event', () =>
      system.api(`/api/v1/events/${event}/detail`).catch(() => undefined),
    );
    expect(recorded).toMatchObject({ forwarded_sha256: null, decision: [{ action: 'flag', found: { email: 1 } }] });
  });

  test('twice, or that is none, is refused', async () => {
    for (const body of [Buffer.from(gzipSync(zipped('hello'))), chat('hello')])
      expect((await send('redacting', body, gzip)).status).toBeGreaterThanOrEqual(400);
  });
});

test('a form is searched: its fields can be blocked, its file cannot be searched', async () => {
  const file = { name: 'file', filename: 'a.mp3', type: 'audio/mpeg', content: Buffer.from('sound') };
  const { bytes, contentType } = writeForm({ model: 'whisper-1', prompt: `names: ${email}` }, file);
  const ask = (agent: keyof typeof policies) =>
    send(agent, Buffer.from(bytes), { 'content-type': contentType }, 'audio/transcriptions');
  expect((await ask('blocking')).text).toContain('its texts hold email');
  expect((await ask('redacting')).text).toContain(
    'not all of it can be searched for personal data: a file of the form',
  );
  expect((await ask('lenient')).text).toContain('cannot be replaced in a form or an encoded body');
  expect((await ask('flagging')).status, 'what only flags must be sure too').toBe(403);
});

test('an answer in gzip that nobody asked for is refused, or passes as it came', async () => {
  const refused = await send('guarding', chat('hi'), { ...json, 'x-encode': 'gzip' });
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('an answer that is encoded')]);
  const { status, text } = await send('passing', chat('hi'), { ...json, 'x-encode': 'gzip' });
  expect([status, text.includes(email)]).toEqual([200, true]);
});

test('what a label stands for is put back into arguments as JSON, and none that was made up', async () => {
  const address = '123 N Main St Apt 4B\nAustin, TX 78701';
  const { text } = await send('restoring', chat(`Send the parcel to:\n${address}`), json);
  const [call] = (JSON.parse(text) as { choices: [{ message: { tool_calls: [{ function: { arguments: string } }] } }] })
    .choices[0].message.tool_calls;
  expect(provider.requests.at(-1)?.body.toString().match(labelPattern)).toHaveLength(1);
  expect(JSON.parse(call.function.arguments)).toEqual({
    ...{ to: address, made_up: '[postal_address bcdfgh]', inner: JSON.stringify([address]) },
  });
});
