import { randomBytes } from 'node:crypto';
import type { BareRequest } from './exchange-bytes.ts';

/** Node takes header values as one character for each byte. */
const asBytes = (text: string) => Buffer.from(text).toString('latin1');
const megabyte = randomBytes(1024 * 1024);
const boundary = '----x7MA4YWxkTrZu0gW';
const multipart = Buffer.concat([
  Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--${boundary}\r\n`),
  Buffer.from('Content-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'),
  randomBytes(70_000),
  Buffer.from(`\r\n--${boundary}--\r\n`),
]);
const oddJson = Buffer.from(
  '\ufeff{ "b":1,\r\n\t"a" : 1.0e2,"model":"gpt-5","a":12345678901234567890, "\\u0061":"\\ud83d\\ude00é",\n"messages":[]} ',
);
export const json = ['Content-Type', 'application/json'];

/** Requests of every kind, by what is special in them. */
export const requests: [string, BareRequest][] = [
  [
    'headers that nobody knows, in any spelling',
    {
      method: 'GET',
      target: '/v1/models',
      headers: [
        'X-UNKNOWN',
        'a',
        'x-Lower',
        '',
        'X-Twice',
        'one',
        'X-Twice',
        'two',
        'openai-Beta',
        'assistants=v2',
        'X-Utf8',
        asBytes('Grüße 😀'),
        'X-Spaces',
        'a  b\tc',
      ],
    },
  ],
  ['no headers at all', { method: 'GET', target: '/v1/models' }],
  [
    'credentials and what clients say of themselves',
    {
      method: 'GET',
      target: '/v1/models',
      headers: [
        'Authorization',
        'Bearer sk-x',
        'x-api-key',
        'k',
        'User-Agent',
        'OpenAI/JS 1',
        'Accept-Encoding',
        'br;q=0.5, gzip',
        'Accept',
        '*/*',
        'x-stainless-os',
        'Linux',
      ],
    },
  ],
  [
    "session ids of clients' own",
    { method: 'GET', target: '/v1/models', headers: ['x-claude-code-session-id', 's-1', 'Session-Id', 's2'] },
  ],
  [
    'a query of any form',
    { method: 'GET', target: '/v1/files?a=b&a=c&&x=%2e%2E%2f&y=+&z&q=a//b/../c\\d&u=http://x.test/&%C3%A9=[]|' },
  ],
  ['a path with escapes', { method: 'GET', target: '/v1/files/file%20one:two%2Fthree@~!$&()*+,=' }],
  ['a path with an empty query', { method: 'GET', target: '/v1/models?' }],
  [
    'JSON with odd spacing, repeated members and large numbers',
    { method: 'POST', target: '/v1/chat/completions', headers: json, body: oddJson },
  ],
  [
    'a body that is no JSON, where JSON is expected',
    { method: 'POST', target: '/v1/chat/completions', headers: json, body: Buffer.from('{"model": gpt') },
  ],
  [
    'a body that is no UTF-8',
    { method: 'POST', target: '/v1/responses', headers: json, body: Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]) },
  ],
  ['an empty body', { method: 'POST', target: '/v1/chat/completions', headers: json, body: Buffer.alloc(0) }],
  [
    'a multipart upload',
    {
      method: 'POST',
      target: '/v1/files',
      headers: ['Content-Type', `multipart/form-data; boundary=${boundary}`],
      body: multipart,
    },
  ],
  [
    'a mebibyte of bytes',
    {
      method: 'PUT',
      target: '/v1/uploads/upload-1',
      headers: ['Content-Type', 'application/octet-stream'],
      body: megabyte,
    },
  ],
  ['DELETE', { method: 'DELETE', target: '/v1/files/file-1' }],
  ['DELETE with a body', { method: 'DELETE', target: '/v1/files/file-1', headers: json, body: Buffer.from('{}') }],
  ['PATCH', { method: 'PATCH', target: '/v1/things', headers: json, body: Buffer.from('[]') }],
  ['OPTIONS', { method: 'OPTIONS', target: '/v1/models', headers: ['X-Asks', 'which methods'] }],
  ['HEAD', { method: 'HEAD', target: '/v1/models' }],
];
