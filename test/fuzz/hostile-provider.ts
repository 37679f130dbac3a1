import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { makeAnswer } from './make-answer.ts';
import { plainPath } from './make-target.ts';
import type { PlannedRequest } from './plan-request.ts';

/** Nano-dollars of a token; PRICES_FILE gives the models of the fuzzer these prices. */
export const prices = { input: 1_000_000, output: 2_000_000 };
export const priceEntries = [{ model: 'fuzz-*', prices: { input_mtok: 1_000, output_mtok: 2_000 } }];

/** What a request cost at the provider. */
export interface Bill {
  nanoUsd: number;
  /** Its answer is still on its way. */
  isOpen: boolean;
}

/** A provider that answers as planned, and bills all that it reads and writes. */
export interface HostileProvider extends AsyncDisposable {
  url: string;
  /** Requests whose head arrived, with their ids. */
  arrived: Map<string, Bill>;
  /** Requests for which it has no plan. */
  strangers: number;
  plan(requests: readonly PlannedRequest[]): void;
}

/**
 * Bytes written in the last moments before the caller left may never have been read, longest by a proxy on a starved machine. They
 * are not billed: the account of an agent without a cap holds what reached the proxy. In milliseconds.
 */
const inFlightMs = 2_000;
/** A hanging connection is ended after this long. */
const hangsMs = 1_500;

/** What a lenient server takes the target for: decoded, in lower case, without parameters, doubled slashes and the rest. */
function readLeniently(target: string): string {
  let path = target.split('?', 1)[0] ?? '';
  for (let round = 0; round < 2; round += 1) {
    try {
      path = decodeURIComponent(path);
    } catch {}
  }
  return path
    .toLowerCase()
    .replace(/;[^/]*/g, '')
    .replace(/\\/g, '/')
    .replace(/\/{2,}/g, '/')
    .replace(/[/\0]+$/, '');
}

/** The body as a lenient server reads it; null where there is no object in it. */
function parseLeniently(body: Buffer, coding: string | undefined): object | null {
  const attempts = [
    () => body.toString('utf8'),
    () => gunzipSync(body).toString('utf8'),
    () => body.toString('utf16le'),
  ];
  for (const attempt of coding === 'gzip' ? attempts.toReversed() : attempts) {
    try {
      const text = attempt()
        .replace(/^\ufeff/, '')
        .replace(/\0+$/, '');
      if (text.startsWith('[1,')) return null;
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    } catch {}
  }
  return null;
}

export async function startHostileProvider(): Promise<HostileProvider> {
  const plans = new Map<string, PlannedRequest>();
  const arrived = new Map<string, Bill>();
  const sockets = new Set<Socket>();
  const provider = { strangers: 0 };

  async function answer(request: IncomingMessage): Promise<void> {
    const id = String(request.headers['x-fuzz-id']);
    const planned = plans.get(id);
    const { socket } = request;
    if (!planned) {
      provider.strangers += 1;
      socket.end('HTTP/1.1 200 OK\r\nx-fake: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      return;
    }
    const bill: Bill = { nanoUsd: 0, isOpen: true };
    arrived.set(id, bill);
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      await write(request, planned, Buffer.concat(chunks), bill);
    } finally {
      bill.isOpen = false;
      socket.destroy();
    }
  }

  async function write(request: IncomingMessage, planned: PlannedRequest, body: Buffer, bill: Bill): Promise<void> {
    const { socket } = request;
    const isCall =
      readLeniently(request.url ?? '') === plainPath(planned)[1].toLowerCase() &&
      request.method?.toUpperCase() === 'POST';
    const parsed = isCall ? parseLeniently(body, request.headers['content-encoding']) : null;
    if (!parsed) {
      socket.end('HTTP/1.1 404 Not Found\r\nx-fake: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      return;
    }
    const asked = JSON.stringify(parsed).includes('"include_usage":true');
    const wire = makeAnswer({ ...planned, stream: planned.stream && asksForStream(planned, parsed) }, asked);
    if (!wire.isFree) bill.nanoUsd = planned.inputWords * prices.input;
    const inputNano = bill.nanoUsd;
    let isGone = false;
    socket.once('close', () => {
      isGone = true;
    });
    if (wire.ends === 'at once') return;
    if (wire.ends === 'never') {
      for (let waited = 0; waited < hangsMs && !isGone; waited += 20) await sleep(20);
      return;
    }
    socket.write(Buffer.from(`HTTP/1.1 ${wire.status} Odd\r\n${wire.head.join('\r\n')}\r\n\r\n`, 'latin1'));
    const written: { at: number; words: number }[] = [];
    const count = wire.ends === 'before the last' ? Math.max(1, planned.dice % wire.pieces.length) : wire.pieces.length;
    for (let index = 0; index < count && !isGone; index += 1) {
      socket.write(wire.pieces[index] as Buffer);
      written.push({ at: performance.now(), words: wire.wordsAfter(index + 1) });
      if (index % 20 === 19) await sleep(1);
    }
    if (!isGone) {
      await new Promise<void>((resolve) => {
        socket.once('close', resolve);
        socket.end(resolve);
      });
      // What was handed to the kernel is read by the proxy, unless its agent has left by then.
      await sleep(50);
    }
    const reachedBefore = isGone ? performance.now() - inFlightMs : Number.POSITIVE_INFINITY;
    const reached = written.filter(({ at }) => at < reachedBefore).at(-1)?.words ?? 0;
    if (!wire.isFree) bill.nanoUsd = inputNano + reached * prices.output;
  }

  const server = createServer(
    { insecureHTTPParser: true, maxHeaderSize: 128 * 1024, requireHostHeader: false },
    (request) => {
      answer(request).catch(() => request.socket.destroy());
    },
  );
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    get strangers() {
      return provider.strangers;
    },
    plan(requests) {
      for (const planned of requests) plans.set(planned.id, planned);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function asksForStream({ kind }: PlannedRequest, parsed: object): boolean {
  return kind === 'generate' || (parsed as { stream?: unknown }).stream === true;
}
