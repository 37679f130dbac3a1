import { gzipSync } from 'node:zlib';
import { type BadRequest, type RawRequest, untilForwarded, write } from './send-raw.ts';

const json = 'Content-Type: application/json';
const chat = 'POST /openai/v1/chat/completions';

/** Forwarded as it is: what it means is the provider's to say. */
const forwarded = (name: string, body: string | Uint8Array, line = chat, headers = [json]): BadRequest => ({
  name,
  request: [write(line, headers, body)],
  status: 200,
});
const refused = (name: string, request: RawRequest, status: number, error: RegExp, recorded?: 'answered' | 'lost') => ({
  ...{ name, request, status, error },
  ...(recorded ? { recorded } : {}),
});

const head = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
const chunk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const mebibyte = Buffer.alloc(1024 * 1024, 'a');
/** Where `MAX_REQUEST_BYTES` is two. */
const tooMany = Array.from({ length: 3 }, () => mebibyte);
const tooLarge = /^request body too large$/;
const endedEarly = /malformed HTTP request|request body ended early/;
const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;

/** Requests with bodies that are odd, malformed, too large or not whole. */
export const badBodies: BadRequest[] = [
  forwarded('no JSON', '{"model": gpt-5'),
  forwarded('JSON that is no object', '"gpt-5"'),
  forwarded('null', 'null'),
  forwarded('an array', '[{"model":"gpt-5"}]'),
  forwarded('a byte order mark', '\ufeff{"model":"gpt-5"}'),
  forwarded('a body that is no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
  forwarded('NUL in the model', '{"model":"gpt-5\\u0000; drop"}'),
  forwarded('half of a surrogate pair in the model', '{"model":"\\ud800"}'),
  forwarded('a model of 10 KB', `{"model":"${'m'.repeat(10_000)}"}`),
  forwarded('a model of 10 KB of surrogate pairs', `{"model":"x${'\u{1f600}'.repeat(2_500)}"}`),
  forwarded('a model that is no text', '{"model":{"toString":null}}'),
  forwarded('an empty model', '{"model":""}'),
  forwarded('a model named __proto__', '{"model":"__proto__"}'),
  forwarded('a member named __proto__', '{"__proto__":{"model":"x","stream":true},"model":"gpt-5"}'),
  forwarded('members of every object', '{"constructor":{"prototype":{"x":1}},"toString":1,"model":"gpt-5"}'),
  forwarded('10,000 levels', `{"model":"gpt-5","messages":${nested}}`),
  forwarded('10,000 levels in a stream', `{"model":"gpt-5","stream":true,"messages":${nested}}`),
  forwarded(
    '10,000 levels of messages',
    `{"messages":${'[{"content":'.repeat(5_000)}"x"${'}]'.repeat(5_000)},"model":"m"}`,
    'POST /anthropic/v1/messages',
  ),
  forwarded(
    'numbers beyond all bounds',
    '{"model":"gpt-5","max_tokens":1e400,"n":-1e999,"seed":123456789012345678901234567890}',
  ),
  forwarded('stream options of the wrong kind', '{"model":"gpt-5","stream":true,"stream_options":[]}'),
  forwarded('a stream that is no boolean', '{"model":"gpt-5","stream":"true"}'),
  forwarded('a repeated member', '{"model":"a","stream":false,"stream":true,"model":"gpt-5"}'),
  forwarded('JSON that says it is text', '{"model":"gpt-5"}', chat, ['Content-Type: text/plain']),
  forwarded('no content type', '{"model":"gpt-5"}', chat, []),
  forwarded('a content type that is none', '{"model":"gpt-5"}', chat, ['Content-Type: ;;;']),
  forwarded('a compressed body', gzipSync('{"model":"gpt-5"}'), chat, [json, 'Content-Encoding: gzip']),
  forwarded('a GET with a body', '{"model":"gpt-5"}', 'GET /openai/v1/models'),
  forwarded('a model with escapes in the path', '{}', 'POST /gemini/v1beta/models/a%20b%40c:generateContent'),
  forwarded('a very long model in the path', '{}', `POST /gemini/v1beta/models/${'m'.repeat(9_000)}:generateContent`),
  forwarded('an unusual method', '{}', 'QUERY /openai/v1/cache'),
  forwarded('a query that is no query', '', 'GET /openai/v1/models?%zz&=&&%00&a[__proto__]=1'),
  forwarded("a client's own session that is unusable", '{"model":"gpt-5"}', chat, [
    json,
    `session-id: ${'a'.repeat(500)}`,
  ]),
  { name: 'HTTP/1.0', request: ['GET /openai/v1/models HTTP/1.0\r\n\r\n'], status: 200 },
  {
    name: 'a body that comes byte by byte',
    status: 200,
    request: [head(chat, json, 'Content-Length: 9'), ...'{"a":"b"}'.split('').flatMap((byte) => [byte, 10])],
  },
  {
    name: 'a chunked body with extensions and a trailer',
    status: 200,
    request: [head(chat, json, 'Transfer-Encoding: chunked', 'Trailer: X-T'), '2;a=b\r\n{}\r\n0\r\nX-T: 1\r\n\r\n'],
  },
  {
    name: 'a second, broken request on the same connection',
    status: 200,
    request: [write('GET /openai/v1/models'), 'GET /openai/v1 HTTP/9\r\n\r\n'],
  },

  refused('3 MiB', [head(chat, json, `Content-Length: ${3 * mebibyte.length}`), ...tooMany], 413, tooLarge),
  refused(
    '3 MiB in chunks',
    [head(chat, json, 'Transfer-Encoding: chunked'), ...tooMany.map(chunk), '0\r\n\r\n'],
    413,
    tooLarge,
  ),
  refused(
    '3 MiB of a body that streams through',
    [head('PUT /openai/v1/uploads/1', `Content-Length: ${3 * mebibyte.length}`), ...tooMany],
    413,
    tooLarge,
  ),
  refused(
    '3 MiB in chunks of a body that streams through',
    [head('PUT /openai/v1/uploads/1', 'Transfer-Encoding: chunked'), ...tooMany.map(chunk), '0\r\n\r\n'],
    413,
    tooLarge,
    'answered',
  ),
  refused(
    '3 MiB announced and not sent',
    [head(chat, json, 'Expect: 100-continue', `Content-Length: ${3 * mebibyte.length}`)],
    413,
    tooLarge,
  ),
  refused('a body that ends early', [head(chat, json, 'Content-Length: 100'), '{"model":', 'end'], 400, endedEarly),
  refused(
    'a chunked body that ends early',
    [head(chat, json, 'Transfer-Encoding: chunked'), '5\r\n{"mod', 'end'],
    400,
    endedEarly,
  ),
  refused(
    'a body that streams through and ends early',
    [head('PUT /openai/v1/uploads/1', 'Content-Length: 100'), 'abc', untilForwarded, 'end'],
    400,
    endedEarly,
    'lost',
  ),
  refused(
    'a body that streams through and breaks',
    [head('PUT /openai/v1/uploads/1', 'Transfer-Encoding: chunked'), '3\r\nabc\r\n', untilForwarded, 'zz\r\n'],
    400,
    endedEarly,
    'lost',
  ),
];
