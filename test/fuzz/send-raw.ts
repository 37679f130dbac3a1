import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBody } from './make-body.ts';
import { makeTarget } from './make-target.ts';
import type { PlannedRequest } from './plan-request.ts';

/** What came back of a request, as far as the agent read. */
export interface SeenAnswer {
  /** 0 where no status line came. */
  status: number;
  /** From the simulated provider, rather than the proxy's own. */
  isProviders: boolean;
  text: string;
}

/** The longest that an answer may take, in milliseconds: then the connection hangs. */
const patienceMs = 30_000;

function writeHead(request: PlannedRequest, length: number): Buffer {
  const sizes = { length, chunked: null, 'too short': Math.max(0, length - 3), 'too long': length + 3 };
  const size = sizes[request.framing];
  const lines = [
    `${request.method} ${makeTarget(request)} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `X-Agent-Name: ${request.agent}`,
    `X-Session-Id: ${request.id}`,
    `X-Fuzz-Id: ${request.id}`,
    size === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${size}`,
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function writeBody(request: PlannedRequest, body: Buffer): Buffer {
  if (request.framing !== 'chunked') return body;
  const at = request.dice % (body.length + 1);
  const chunks = [body.subarray(0, at), body.subarray(at)].filter((chunk) => chunk.length > 0);
  const framed = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)};x="y"\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...framed, Buffer.from('0\r\n\r\n')]);
}

/** Sends a request as planned, byte for byte, over a connection of its own. Never rejects. */
export async function sendRaw(url: string, request: PlannedRequest): Promise<SeenAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = once(socket, 'close').catch(() => {});
  const body = makeBody(request);
  const bytes = Buffer.concat([writeHead(request, body.length), writeBody(request, body)]);
  const leavesAt = request.manner === 'leaves while sending' ? bytes.length - 1 - (request.dice % bytes.length) : null;
  const cutAt = request.dice % bytes.length;
  socket.write(bytes.subarray(0, leavesAt === null ? cutAt : Math.min(cutAt, leavesAt)));
  await sleep(request.dice % 3);
  if (leavesAt !== null) socket.destroy();
  else socket.write(bytes.subarray(cutAt));
  // What it announced never comes: waiting for the proxy's patience to end would be a round of nothing else.
  if (request.framing === 'too long') setTimeout(() => socket.destroy(), 300);
  if (request.manner === 'leaves once sent') setTimeout(() => socket.destroy(), request.dice % 40);
  if (request.manner === 'leaves while reading')
    socket.once('data', () => setTimeout(() => socket.destroy(), request.dice % 20));
  await Promise.race([closed, waitForWhole(chunks, closed), sleep(patienceMs, undefined, { ref: false })]);
  socket.destroy();
  const text = Buffer.concat(chunks).toString('latin1');
  const status = [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, code]) => Number(code)).find((code) => code >= 200);
  return { status: status ?? 0, isProviders: /^x-fake: /im.test(text), text: text.slice(0, 2_000) };
}

/** The proxy keeps connections alive: an answer with a length, or with its last chunk, is whole before it closes. */
async function waitForWhole(chunks: readonly Buffer[], closed: Promise<unknown>): Promise<void> {
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
  });
  while (!isClosed) {
    await sleep(10);
    const text = Buffer.concat(chunks).toString('latin1');
    const final = /HTTP\/1\.1 [2-9]\d\d [\s\S]*$/.exec(text)?.[0] ?? '';
    const end = final.indexOf('\r\n\r\n');
    if (end < 0) continue;
    const length = /^content-length: (\d+)/im.exec(final.slice(0, end))?.[1];
    if (length !== undefined && final.length >= end + 4 + Number(length)) return;
    if (length === undefined && final.endsWith('0\r\n\r\n')) return;
    if (/^HTTP\/1\.1 (?:204|304)/.test(final)) return;
  }
}
