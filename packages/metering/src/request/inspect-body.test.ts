import { expect, test } from 'vitest';
import { makeHead } from '../../test/open-metering.ts';
import { inspectBody } from './inspect-body.ts';

function inspect(id: string, path: string, body: string, contentType = 'application/json') {
  const head = makeHead(id, path);
  if (!head.operation) throw new Error(`no operation at ${path} of ${id}`);
  const form = { contentType, contentEncoding: '' };
  return inspectBody(head.operation, head, Buffer.from(body), form, { mustTell: false, mustBound: false });
}

const stream = '{"model":"m","stream":true}';
const asked = '{"stream_options":{"include_usage":true},"model":"m","stream":true}';
const form = '--b\r\nContent-Disposition: form-data; name="stream"\r\n\r\ntrue\r\n--b--';

test.each([
  ['openai', '/v1/chat/completions', stream, asked],
  ['openai', '/v1/completions', stream, asked],
  ['mistral', '/v1/chat/completions', stream, stream],
  ['openai', '/v1/responses', stream, stream],
  ['openai', '/v1/images/generations', stream, stream],
  ['openai', '/v1/chat/completions', '{"model":"m"}', '{"model":"m"}'],
])('what %s gets at %s of %s is %s', (id, path, body, sent) => {
  const inspected = inspect(id, path, body);
  expect(inspected.toProvider.toString()).toBe(sent);
  expect(inspected.usageAsked).toBe(sent !== body);
  expect(inspected.bytes.toString()).toBe(body);
});

test('a form is sent on as it is, wherever it goes', () => {
  for (const path of ['/v1/chat/completions', '/v1/audio/transcriptions']) {
    const inspected = inspect('openai', path, form, 'multipart/form-data; boundary=b');
    expect(inspected.toProvider.toString()).toBe(form);
    expect(inspected.usageAsked).toBe(false);
  }
});

test('a call that another account pays for is refused, however it is spelled', () => {
  for (const body of ['{"billing_policy":{"organization":"o"}}', '{"billing_\\u0070olicy":"x","billing_policy":null}'])
    expect(() => inspect('anthropic', '/v1/messages', body)).toThrow('another account pays for (billing_policy)');
  expect(inspect('anthropic', '/v1/messages', '{"billing_policy":null}').requestedModel).toBe(null);
});
