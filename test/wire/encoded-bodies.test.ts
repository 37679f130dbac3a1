import { createHash, randomUUID } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem } from '../system/start-system.ts';

let system: System;
let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider(() => ({}));
  system = await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

const content = `Write to jane.roe@example.com. ${'Nothing stands in here. '.repeat(2_000)}`;
const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] });

async function send(bytes: Buffer, encoding: string) {
  // An answer without figures: the request's own text is what it is estimated by.
  provider.handle(() => ({ body: { model: 'gpt-4o', choices: [{ message: { content: 'Done.' } }] } }));
  const session = `ses_${randomUUID()}`;
  const answer = await fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-encoding': encoding,
      'x-agent-name': 'packer',
      'x-session-id': session,
    },
    body: new Uint8Array(bytes),
  });
  await answer.text();
  return { sent: provider.requests.at(-1), payload: await readPayload(system, session) };
}

test.each([
  ['gzip', gzipSync(body)],
  ['br', brotliCompressSync(body)],
  ['zstd', zstdCompressSync(body)],
  ['deflate', deflateSync(body)],
  ['deflate', deflateRawSync(body)],
])('a body in %s goes on as it is, and is read beside', async (encoding, bytes) => {
  const { sent, payload } = await send(bytes, encoding);
  expect([sent?.headers['content-encoding'], sent?.body.equals(bytes)]).toEqual([encoding, true]);
  expect(payload).toMatchObject({
    model: 'gpt-4o',
    requested_model: 'gpt-4o',
    pii_types: ['email'],
    pii_scan: 'full',
    usage_source: 'estimated',
    request_sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  expect(payload.prompt_tokens).toBeGreaterThan(10_000);
});

test.each([
  ['gzip', gzipSync(body).subarray(0, 100)],
  ['x-unknown', gzipSync(body)],
  ['gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))],
])('a body that is said to be in %s and is broken, unknown or too much is unreadable', async (encoding, bytes) => {
  expect((await send(bytes, encoding)).payload.pii_scan).not.toBe('full');
});
