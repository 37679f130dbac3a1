import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FakeReply } from '@agp/testing/providers';

const megabyte = randomBytes(1024 * 1024);
const asBytes = (text: string) => Buffer.from(text).toString('latin1');

export const reply = (status: number, headers: FakeReply['headers'] = {}, body: FakeReply['body'] = ''): FakeReply => ({
  status,
  headers,
  body,
});
export const compressed = gzipSync(
  JSON.stringify({ model: 'gpt-5', choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }),
);
/** Answers of every kind, by what is special in them. */
export const answers: [string, FakeReply][] = [
  [
    'an error in the provider’s own words',
    reply(429, { 'retry-after': '3', 'x-ratelimit-remaining': '0' }, { error: { message: 'é', code: null } }),
  ],
  ['an error that is no JSON', reply(502, { 'content-type': 'text/html' }, '<html>Bad Gateway</html>\n')],
  ['an error without a body', reply(500)],
  ['an unknown status', reply(599, {}, 'x')],
  ['compressed bytes', reply(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, compressed)],
  [
    'bytes that only say that they are compressed',
    reply(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'no gzip'),
  ],
  [
    'an unknown encoding',
    reply(200, { 'content-type': 'application/json', 'content-encoding': 'x-made-up' }, 'no gzip'),
  ],
  ['204', reply(204, { 'x-request-id': 'req_204' })],
  ['304', reply(304, { etag: '"abc"', 'cache-control': 'max-age=1' })],
  ['a redirect, not followed', reply(307, { location: 'https://elsewhere.test/v1/x' }, 'moved')],
  ['a redirect to the same place', reply(302, { location: '/v1/chat/completions' })],
  ['a mebibyte of bytes', reply(200, { 'content-type': 'application/octet-stream' }, megabyte)],
  [
    'a mebibyte in chunks',
    reply(200, { 'content-type': 'audio/mpeg' }, { steps: [megabyte.subarray(0, 70_001), megabyte.subarray(70_001)] }),
  ],
  [
    'headers of every kind',
    reply(
      200,
      {
        'x-twice': ['a', 'b'],
        'x-empty': '',
        'strict-transport-security': 'max-age=1',
        via: '1.1 x',
        server: 'y',
        'x-utf8': asBytes('Grüße'),
        vary: 'a',
        link: '</x>; rel=next',
      },
      'ok',
    ),
  ],
  [
    'a stream of frames that nobody knows',
    reply(
      200,
      { 'content-type': 'text/event-stream' },
      { steps: [': hi\r\n\r\n', 'event: x\rdata: 1\r\r', 'data: {"choices":[],"usage":{}}\n\n', 'data: cut'] },
    ),
  ],
];
