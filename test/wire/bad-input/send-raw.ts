import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { longestWaitMs, waitFor } from '@agp/testing';

/** Waits until the provider has the head of what was sent before. */
export const untilForwarded = Symbol('until forwarded');

/** Bytes to send, one after another; a number is a pause in milliseconds, `end` closes our half of the connection. */
export type RawRequest = (string | Uint8Array | number | typeof untilForwarded | 'end')[];

/** An answer as it came over the wire; null where the connection ended without one. */
export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/** One malformed request, and what must become of it. */
export interface BadRequest {
  name: string;
  request: RawRequest;
  /** What may be answered; null where HTTP has no way to answer. */
  status: number | null;
  /** What the refusal must say. Absent where the request is answered all the same. */
  error?: RegExp;
  /** It was forwarded before it turned out to be bad, so there is an event; `lost` where no answer names it. */
  recorded?: 'answered' | 'lost';
}

/** Puts a request together. Characters of the head are bytes. */
export function write(line: string, headers: readonly string[] = [], body: string | Uint8Array = ''): Uint8Array {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const length = bytes.length > 0 ? [`Content-Length: ${bytes.length}`] : [];
  const head = [`${line} HTTP/1.1`, 'Host: localhost', ...headers, ...length].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), bytes]);
}

/**
 * Sends bytes, whatever they are, and reads the first answer. Rejects when there is neither answer nor end in time.
 *
 * @param isForwarded whether the provider has the head by now, for {@link untilForwarded}
 */
export function sendRaw(url: string, request: RawRequest, isForwarded = () => true): Promise<RawAnswer | null> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let received = Buffer.alloc(0);
    const finish = (answer: RawAnswer | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer within ${longestWaitMs} ms`));
    }, longestWaitMs);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk as Buffer]);
      const answer = parseAnswer(received, false);
      if (answer) finish(answer);
    });
    socket.on('end', () => finish(parseAnswer(received, true)));
    // The service may close while we still send: what it said before counts.
    socket.on('error', () => finish(parseAnswer(received, true)));
    socket.on('connect', () => void sendParts(socket, request, isForwarded).catch(reject));
  });
}

async function sendParts(
  socket: ReturnType<typeof connect>,
  parts: RawRequest,
  isForwarded: () => boolean,
): Promise<void> {
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const part of parts) {
    if (socket.destroyed) return;
    if (part === 'end') socket.end();
    else if (typeof part === 'number') await sleep(part);
    else if (part === untilForwarded) await waitFor('the request at the provider', isForwarded);
    else {
      const bytes: Uint8Array = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
      if (!socket.write(bytes)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
  }
}

/** @param ended nothing more will come @returns null while the answer is not whole */
function parseAnswer(bytes: Buffer, ended: boolean): RawAnswer | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0);
  const rest = bytes.subarray(headEnd + 4);
  if (status >= 100 && status < 200 && status !== 101) return parseAnswer(rest, ended);
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = headers.get('content-length');
  const chunked = headers.get('transfer-encoding') === 'chunked';
  if (!ended && chunked && !rest.toString('latin1').endsWith('0\r\n\r\n')) return null;
  if (!ended && length !== undefined && rest.length < Number(length)) return null;
  if (!ended && length === undefined && !chunked && status !== 204) return null;
  return { status, headers, body: rest.toString('utf8') };
}
