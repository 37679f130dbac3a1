import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '@agp/core/json';
import { type Service, sendJson, startHttpServer } from '@agp/runtime';
import { type Dialect, dialects } from './dialects.ts';
import type { Charge, DemoAnswer } from './endpoint.ts';
import { type Directives, ProviderFault, readDirectives } from './request.ts';

const maxBytes = 32 * 1024 * 1024;
/** A body that takes longer ends its connection. */
const maxMs = 120_000;

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const timer = setTimeout(() => request.destroy(), maxMs);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // A body that is too large is read to its end, without being kept, so that the caller sees the answer.
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  if (size > maxBytes) throw new ProviderFault('request_too_large', 'The request is larger than 32 MiB.');
  return Buffer.concat(chunks);
}

/** Reads the JSON body of a POST. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  if (request.method !== 'POST') return undefined;
  const bytes = await readBytes(request);
  try {
    return parseJson(bytes);
  } catch {
    throw new ProviderFault('invalid_request', 'The body of the request is not valid JSON.');
  }
}

async function pause(response: ServerResponse, ms: number): Promise<void> {
  if (ms <= 0 || response.destroyed) return;
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  await sleep(ms, undefined, { signal: gone.signal }).catch(() => {});
  response.off('close', leave);
}

/** Sends an answer as the directives say. */
async function sendAnswer(
  response: ServerResponse,
  answer: DemoAnswer,
  { directives, frameMs }: { directives: Directives; frameMs: number },
): Promise<void> {
  const breaks = directives['x-demo-break'];
  if ('frames' in answer) return sendFrames(response, answer, { directives, frameMs });
  const bytes = Buffer.from(JSON.stringify(answer.json));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
  if (breaks === undefined) response.end(bytes);
  else response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}

async function sendFrames(
  response: ServerResponse,
  { frames, type = 'text/event-stream; charset=utf-8', errorFrame }: Extract<DemoAnswer, { frames: unknown }>,
  { directives, frameMs }: { directives: Directives; frameMs: number },
): Promise<void> {
  const { 'x-demo-break': breaks, 'x-demo-stream-seconds': seconds } = directives;
  const pauseMs = seconds > 0 ? (seconds * 1_000) / Math.max(1, frames.length - 1) : frameMs;
  const sent = breaks === undefined ? frames : frames.slice(0, Math.ceil(frames.length / 2));
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
  for (const [index, frame] of sent.entries()) {
    // Before each frame but the first: the stream ends with the last frame.
    if (index > 0) await pause(response, pauseMs);
    if (response.destroyed) return;
    if (!response.write(frame)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  if (breaks === 'cut') response.write('', () => response.destroy());
  else response.end(breaks === 'error' ? errorFrame : undefined);
}

interface Target {
  dialect: Dialect;
  /** Without the part that names the API. */
  path: string;
  query: URLSearchParams;
  charges: readonly Charge[];
}

/** The part before the path names the API: a path without one is OpenAI's. */
function readTarget(url: string, charges: readonly Charge[]): Target {
  const [path = '/', query = ''] = url.split('?', 2);
  const [, api = '', rest = ''] = /^\/(\w+)(\/.*)$/.exec(path) ?? [];
  const named = Object.hasOwn(dialects, api) ? dialects[api] : undefined;
  return {
    dialect: named ?? (dialects.openai as Dialect),
    path: named ? rest : path,
    query: new URLSearchParams(query),
    charges,
  };
}

function decodeParam(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

async function findAnswer(request: IncomingMessage, { dialect, path, ...asked }: Target): Promise<DemoAnswer> {
  for (const [method, pattern, answer] of dialect.routes) {
    const found = method === request.method ? pattern.exec(path) : null;
    if (found === null) continue;
    const params = found.slice(1).map(decodeParam);
    return answer({ headers: request.headers, ...asked, params, body: await readBody(request) });
  }
  throw new ProviderFault('not_found', `Nothing here answers ${request.method} ${path.slice(0, 200)}.`);
}

/** Statuses after which official clients try again, as the providers ask them to. */
const retried = new Set([429, 503, 529]);

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { frameMs, charges }: { frameMs: number; charges: readonly Charge[] },
): Promise<void> {
  const target = readTarget(request.url ?? '/', charges);
  const requestId = `req_${randomUUID().replaceAll('-', '')}`;
  response.setHeader(target.dialect.requestIdHeader, requestId);
  try {
    const answer = await findAnswer(request, target);
    const directives = answer.directives ?? readDirectives(request.headers);
    await pause(response, directives['x-demo-delay-ms']);
    const status = directives['x-demo-status'];
    if (status !== undefined) throw new ProviderFault(status, `The demo answers ${status}, as was asked.`);
    await sendAnswer(response, answer, { directives, frameMs });
  } catch (error) {
    if (!(error instanceof ProviderFault)) response.destroy(error instanceof Error ? error : undefined);
    else if (!response.destroyed) {
      const headers = retried.has(error.status) ? { 'retry-after': '1' } : {};
      const { dialect } = target;
      const more = dialect.toErrorHeaders?.(error);
      sendJson(response, error.status, dialect.toErrorBody(error, requestId), { ...headers, ...more });
    }
  }
}

/**
 * Starts a provider that answers without a model, below `/openai`, `/anthropic`, `/gemini` and `/bedrock` in their formats. Its reports of costs tell
 * the charges that it is given.
 */
export async function startDemoProvider(options: {
  host: string;
  port: number;
  delayMs?: number;
  charges?: readonly Charge[];
}): Promise<Service> {
  const settings = { frameMs: options.delayMs ?? 30, charges: options.charges ?? [] };
  const server = await startHttpServer((request, response) => void serve(request, response, settings), options);
  const stop = () => server.stop(100);
  return { url: server.url, stop, [Symbol.asyncDispose]: stop };
}
