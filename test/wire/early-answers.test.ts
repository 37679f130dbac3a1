import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem } from '../system/start-system.ts';
import { readAnswer } from './transparency/exchange-bytes.ts';

/** Answers once it has a part of the request, and is gone with the rest unread. */
let hasty: Server;
let answer: { text: string; leave(socket: Socket): void };
let system: System;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  hasty = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.pause().write(answer.text, () => answer.leave(socket)));
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
const leavings: [how: string, leave: (socket: Socket) => void][] = [
  ['at once', (socket) => socket.destroy()],
  ['by halves', (socket) => socket.end(() => setTimeout(() => socket.destroy(), 50))],
];
const cases = ['/v1/chat/completions', '/v1/files'].flatMap((path) =>
  answers.flatMap(([status, rest]) => leavings.map(([how, leave]) => ({ path, status, rest, how, leave }))),
);

test.each(cases)(
  '$status for $path of a provider that leaves $how gets through, and costs nothing',
  async ({ path, status, rest, leave }) => {
    answer = { text: `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\n${rest}`, leave };
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
