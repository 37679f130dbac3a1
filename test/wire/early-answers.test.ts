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
    socket.once('data', () => {
      socket.pause();
      socket.write(answer.text, () => answer.leave(socket));
    });
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

async function send(path: string, length: number, chunked: boolean) {
  const session = `ses_${randomUUID()}`;
  const head = '{"model":"gpt-5","messages":[{"role":"user","content":"';
  const body = Buffer.from(`${head}${'a'.repeat(length)}"}]}`);
  const headers = { 'content-type': 'application/json', 'x-agent-name': 'hurried', 'x-session-id': session };
  const sized = chunked ? {} : { 'content-length': body.length };
  const url = `${system.proxies[0]?.url}/openai${path}`;
  const sent = request(url, { method: 'POST', headers: { ...headers, ...sized }, agent });
  sent.on('error', () => {});
  const answered = once(sent, 'response');
  const pieces = Array.from({ length: Math.ceil(body.length / 65_536) }, (_, at) =>
    body.subarray(at * 65_536, (at + 1) * 65_536),
  );
  Readable.from(pieces).pipe(sent);
  const [response] = await answered;
  return { session, ...(await readAnswer(response)) };
}

const bodies: [path: string, length: number, chunked: boolean][] = [
  ['/v1/chat/completions', 16, false],
  ['/v1/chat/completions', 12 * 1024 * 1024, false],
  ['/v1/files', 12 * 1024 * 1024, false],
  ['/v1/files', 12 * 1024 * 1024, true],
];
const text = '{"error":{"message":"no"}}';
const answers: [string, string][] = [
  ['413 Payload Too Large', `Content-Length: ${text.length}\r\n\r\n${text}`],
  ['429 Too Many Requests', `Retry-After: 7\r\n\r\n${text}`],
  ['400 Bad Request', `Transfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`],
];
const leavings: [string, (socket: Socket) => void][] = [
  ['closes at once', (socket) => socket.destroy()],
  ['closes its own half first', (socket) => socket.end(() => setTimeout(() => socket.destroy(), 50))],
];
const cases = bodies.flatMap((body) =>
  answers.flatMap(([status, rest]) =>
    leavings.map(([name, leave]) => ({
      name,
      status,
      rest,
      leave,
      body,
      path: body[0],
      chunked: body[2],
      length: body[1],
    })),
  ),
);

test.each(cases)(
  '$status of a provider that $name gets through, and costs nothing: $path, $length bytes, chunked $chunked',
  async ({ status, rest, leave, body }) => {
    answer = { text: `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nConnection: close\r\n${rest}`, leave };
    const { session, ...got } = await send(...body);
    expect([`${got.status} ${got.statusMessage}`, got.body.toString(), got.broken]).toEqual([status, text, false]);
    expect(await readPayload(system, session)).toMatchObject({
      direction: 'response',
      http_status: got.status,
      outcome: 'completed',
      usage_source: 'none',
      total_tokens: 0,
      cost_usd: 0,
    });
  },
);
