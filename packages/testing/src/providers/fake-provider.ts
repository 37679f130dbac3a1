import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request exactly as it arrived at the fake provider. */
export interface ReceivedRequest {
  method: string;
  /** The request target as on the request line. */
  target: string;
  /** Names and values by turns, in their order and spelling. */
  rawHeaders: string[];
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Settles once the connection is done with this request: true when the caller left before the answer was complete. */
  aborted: Promise<boolean>;
}

/** One step of a body: bytes, a pause in milliseconds, or the end of the connection. */
export type Step = string | Uint8Array | { pauseMs: number } | { cut: true };

interface SteppedBody {
  steps: Iterable<Step> | AsyncIterable<Step>;
}

export interface FakeReply {
  /** 200 if not given. */
  status?: number;
  headers?: Record<string, string | string[]>;
  /** An object is sent as JSON with a length; steps are sent one by one, chunked. */
  body?: object | string | Uint8Array | SteppedBody;
  /** Milliseconds before the first byte. */
  pauseMs?: number;
  /** Never answers: the connection stays open without a byte until the caller or `stop` ends it. */
  hang?: boolean;
  /** Ends the connection without a byte. */
  cut?: boolean;
}

/** Decides the reply to each request; `index` counts from 0. */
export type Handler = (request: ReceivedRequest, index: number) => FakeReply | Promise<FakeReply>;

export interface FakeProvider extends AsyncDisposable {
  url: string;
  /** Every request whose body arrived completely, in order of arrival. */
  requests: ReceivedRequest[];
  /** How many requests have begun to arrive. */
  readonly begun: number;
  /** Changes the handler for requests from now on. */
  handle(handler: Handler): void;
  /** Ends every connection. */
  stop(): Promise<void>;
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<ReceivedRequest> {
  const aborted = new Promise<boolean>((resolve) => {
    response.once('close', () => resolve(!response.writableFinished));
  });
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    rawHeaders: request.rawHeaders,
    headers: request.headers,
    body: Buffer.concat(chunks),
    aborted,
  };
}

async function sendSteps(response: ServerResponse, steps: Iterable<Step> | AsyncIterable<Step>): Promise<void> {
  response.flushHeaders();
  for await (const step of steps) {
    if (response.destroyed) return;
    if (typeof step === 'string' || step instanceof Uint8Array) response.write(step);
    else if ('pauseMs' in step) await sleep(step.pauseMs);
    else {
      // Earlier writes must be on the wire, or the cut would lose them.
      await sleep(20);
      response.destroy();
      return;
    }
  }
  response.end();
}

function isStepped(body: object | string | Uint8Array): body is SteppedBody {
  return typeof body === 'object' && 'steps' in body;
}

async function send(response: ServerResponse, reply: FakeReply): Promise<void> {
  if (reply.hang) return;
  if (reply.cut) {
    response.destroy();
    return;
  }
  if (reply.pauseMs) await sleep(reply.pauseMs);
  // Answers that are compared have the same second, even if one ended between them.
  response.setHeader('date', 'Thu, 01 Jan 2026 00:00:00 GMT');
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  response.statusCode = reply.status ?? 200;
  const body = reply.body ?? '';
  if (isStepped(body)) return sendSteps(response, body.steps);
  const plain = typeof body === 'string' || body instanceof Uint8Array;
  if (!plain && !response.hasHeader('content-type')) response.setHeader('content-type', 'application/json');
  response.end(plain ? body : JSON.stringify(body));
}

/** Starts a provider whose every answer the test decides, on a free loopback port if it is given no other. */
export async function startFakeProvider(handler: Handler, host = '127.0.0.1', port = 0): Promise<FakeProvider> {
  const requests: ReceivedRequest[] = [];
  let current = handler;
  let begun = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const received = await receive(request, response);
    requests.push(received);
    await send(response, await current(received, requests.length - 1));
  };
  const server = createServer((request, response) => {
    begun += 1;
    // A caller that leaves while its body arrives, or a handler that throws: the connection ends, the test sees it.
    answer(request, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get begun() {
      return begun;
    },
    handle: (next) => {
      current = next;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
