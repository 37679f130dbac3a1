import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem } from '../system/start-system.ts';
import { readAnswer } from './transparency/exchange-bytes.ts';

/** Answers once it has a part of the request, and is gone with the rest unread. */
let hasty: Server;
let answer = '';
let system: System;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  hasty = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.pause().write(answer, () => socket.destroy()));
  }).listen(0, '127.0.0.1');
  await once(hasty, 'listening');
  const url = `http://127.0.0.1:${(hasty.address() as AddressInfo).port}`;
  system = await startSystem({ environment: { PROVIDER_OPENAI_URL: url } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  agent.destroy();
  hasty?.close();
});

const text = '{"error":{"message":"no"}}';
const answers: [status: string, rest: string][] = [
  ['413 Payload Too Large', `Content-Length: ${text.length}\r\n\r\n${text}`],
  ['429 Too Many Requests', `Retry-After: 7\r\n\r\n${text}`],
];
const cases = ['/v1/chat/completions', '/v1/files'].flatMap((path) =>
  answers.map(([status, rest]) => ({ path, status, rest })),
);

test.each(cases)(
  '$status for $path of a provider that leaves gets through, and costs nothing',
  async ({ path, status, rest }) => {
    answer = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\n${rest}`;
    const session = `ses_${randomUUID()}`;
    const headers = { 'content-type': 'application/json', 'x-agent-name': 'hurried', 'x-session-id': session };
    const sent = request(`${system.proxies[0]?.url}/openai${path}`, { method: 'POST', headers, agent });
    const answered = once(sent, 'response');
    const piece = 'a'.repeat(65_536);
    Readable.from(['{"model":"gpt-5","input":"', ...Array(160).fill(piece), '"}']).pipe(sent);
    const got = await readAnswer((await answered)[0]);
    expect([`${got.status} ${got.statusMessage}`, got.body.toString(), got.broken]).toEqual([status, text, false]);
    const free = { usage_source: 'none', total_tokens: 0, cost_usd: 0 };
    const expected = { direction: 'response', http_status: got.status, outcome: 'completed', ...free };
    expect(await readPayload(system, session)).toMatchObject(expected);
  },
);
