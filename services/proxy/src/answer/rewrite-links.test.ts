import type { IncomingMessage } from 'node:http';
import { findLinkPaths } from '@agp/metering';
import { expect, test } from 'vitest';
import type { Provider } from '../settings/provider.ts';
import { LinkRewriter, readCallersBase, rewriteLinkHeader } from './rewrite-links.ts';

const base = 'https://agp.test/agents/a/anthropic';

function rewrite(path: string, text: string, size = text.length): string {
  const rewriter = new LinkRewriter(findLinkPaths(path), base);
  const bytes = Buffer.from(text);
  const out: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(rewriter.push(bytes.subarray(at, at + size)));
  return Buffer.concat([...out, rewriter.end()]).toString();
}

const batch = '/v1/messages/batches/msgbatch_1';
const results = `${batch}/results`;

test.each([
  [batch, 'https://api.anthropic.com', results],
  [`${batch}/cancel`, 'https://gateway.test:8443/a/b', results],
  ['/v1/messages/batches', 'http://127.0.0.1:1', results],
  [batch, 'https:\\/\\/api.anthropic.com', results.replaceAll('/', '\\/')],
  ['/v1/videos/v_1', 'https://openrouter.ai/api', '/v1/videos/v_1/content?index=0'],
  ['/v1beta/files/f', 'https://generativelanguage.googleapis.com', '/v1beta/files/f:download?alt=media'],
])('a link in the answer of %s leads to the proxy, however the answer is cut', (path, from, link) => {
  const text = (origin: string) => `{"é":"\\"http", "url" : [ "${origin}${link}","http" ],"text":"see ${from}${link}"}`;
  for (const size of [1, 2, 7, 64, 1_000]) expect(rewrite(path, text(from), size)).toBe(text(base));
});

test.each([
  [batch, '{"results_url":null,"url":"https://elsewhere.test/v1/files/x","open":"https://'],
  ['/v1beta/files/f', '{"uri":"https://generativelanguage.googleapis.com/v1beta/files/f"}'],
  [batch, `{"long":"http${'s'.repeat(5_000)}"}`],
])('everything else in the answer of %s stays', (path, text) => {
  for (const size of [1, 7, 10_000]) expect(rewrite(path, text, size)).toBe(text);
});

test('other answers are not searched', () => {
  for (const path of [results, '/v1/messages', '/v1/files', '/v1beta/files/f:download', '/v1/videos/v/content'])
    expect(findLinkPaths(path)).toEqual([]);
});

test.each([
  [{ host: 'agp.test:8080' }, '/anthropic/v1/x?a=/b', 'http://agp.test:8080/anthropic'],
  [
    { host: 'inner', 'x-forwarded-proto': 'https, http' },
    '/agents/a%20b/openai/v1',
    'https://inner/agents/a%20b/openai',
  ],
  [{ host: 'inner', 'x-forwarded-host': 'agp.test' }, '/gemini/v1', 'http://agp.test/gemini'],
  [{ host: 'a"b', 'x-forwarded-proto': 'javascript' }, '/gemini/v1', 'http://localhost:7/gemini'],
])('%j is the address of the caller', (headers, target, expected) => {
  const request = { headers, socket: { localPort: 7 } } as unknown as IncomingMessage;
  expect(readCallersBase({ request, target })).toBe(expected);
});

test.each([
  ['https://api.test/base/v1/jobs/1?a=b', `${base}/v1/jobs/1?a=b`],
  ['https://api.test/other/v1', 'https://api.test/other/v1'],
  ['https://api.test.evil.test/base/v1', 'https://api.test.evil.test/base/v1'],
  ['/base/v1/jobs', '/base/v1/jobs'],
])('the header %s becomes %s', (value, expected) => {
  const provider = { baseUrl: new URL('https://api.test/base'), basePath: '/base' } as Provider;
  expect(rewriteLinkHeader(provider, base, value)).toBe(expected);
});
