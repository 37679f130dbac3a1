import { hash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { makeHead } from '../../test/open-metering.ts';
import { createBodyInspector, largeBody } from './inspect-apart.ts';
import { type InspectedBody, inspectBody, type Needs } from './inspect-body.ts';

const inspector = createBodyInspector((error) => {
  throw error;
});
afterAll(() => inspector.stop());

const holder = { agentId: 'a', source: null };
const all: Needs = { mustTell: true, mustBound: true, mustName: true, mustPrice: true };
const none: Needs = { mustTell: false, mustBound: false, mustName: false, mustPrice: false };
const json = { contentType: 'application/json', contentEncoding: '' };
const picture = Buffer.from('89504e470d0a1a0a0000000d49484452000003200000025808060000009a768270', 'hex').toString(
  'base64',
);
const words = 'lorem ipsum '.repeat(largeBody / 10);

const digest = (bytes: Buffer) => hash('sha256', bytes);

/** With what a model counts in place of what counts it. */
const toPlain = ({ media, strict, ...read }: InspectedBody) => ({
  ...read,
  media: media && [media.bytes, media.count('gpt-4o'), media.count('claude-sonnet-4-5')],
  strict: strict instanceof Error ? [strict.name, strict.message] : strict,
  ...{ bytes: digest(read.bytes), toProvider: digest(read.toProvider) },
});

test.each([
  [
    'openai',
    '/v1/chat/completions',
    { model: 'gpt-4o', stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
  ],
  [
    'openai',
    '/v1/chat/completions',
    {
      model: 'gpt-4o',
      messages: [{ role: 'user', content: words }],
      tools: [{ type: 'function', function: { name: 'f' } }],
    },
  ],
  ['openai', '/v1/responses', { model: 'gpt-5', input: words, stream: true, tools: [{ type: 'web_search' }] }],
  [
    'openai',
    '/v1/chat/completions',
    {
      model: 'gpt-4o',
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }] },
      ],
    },
  ],
  ['openai', '/v1/chat/completions', { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: words }] }],
  ['anthropic', '/v1/messages', { model: 'claude-sonnet-4-5', max_tokens: 5, messages: [], unknown_member: words }],
  ['gemini', '/v1beta/models/gemini-2.5-pro:generateContent', { contents: [{ parts: [{ text: 'x' }] }] }],
])('a body of %s at %s is read in a worker as it is here', async (id, path, body) => {
  const head = makeHead(id as never, path);
  if (head.operation === null) throw new Error('no operation');
  const bytes = Buffer.from(JSON.stringify(body));
  for (const needs of [all, none]) {
    const here = inspectBody(head.operation, head, bytes, json, needs);
    const apart = await inspector.inspect(head.operation, head, bytes, json, needs, holder);
    expect(toPlain(apart)).toEqual(toPlain(here));
    expect(apart.toProvider === bytes).toBe(!here.usageAsked);
  }
});

test('what is refused here is refused there, in the same words', async () => {
  const head = makeHead('anthropic', '/v1/messages');
  if (head.operation === null) throw new Error('no operation');
  const bytes = Buffer.from('{"billing_policy":{"organization":"o"}}');
  const asked = inspector.inspect(head.operation, head, bytes, json, none, holder);
  await expect(asked).rejects.toMatchObject({
    code: 'not_governed',
    message: expect.stringContaining('billing_policy'),
  });
});

test('a body with an encoding is read by what it holds, and goes on as it came', async () => {
  const head = makeHead('openai', '/v1/chat/completions');
  if (head.operation === null) throw new Error('no operation');
  const form = { ...json, contentEncoding: 'gzip', decoded: Buffer.from('{"model":"m","stream":true}') };
  const bytes = Buffer.from('packed');
  const read = await inspector.inspect(head.operation, head, bytes, form, none, holder);
  expect([read.requestedModel, read.bytes, read.toProvider, read.form]).toEqual(['m', form.decoded, bytes, form]);
});
