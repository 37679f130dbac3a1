import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '@agp/core/json';
import { type Service, sendJson, startHttpServer } from '@agp/runtime';
import type { Answer } from './answer.ts';
import { chooseDialect } from './dialects.ts';
import { ProviderFault } from './provider-fault.ts';

const maxBodyBytes = 32 * 1024 * 1024;

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new ProviderFault('request_too_large', 'The request is larger than 32 MiB.');
    chunks.push(chunk);
  }
  try {
    return parseJson(Buffer.concat(chunks));
  } catch {
    throw new ProviderFault('invalid_request', 'The body of the request is not valid JSON.');
  }
}

async function findAnswer(request: IncomingMessage, path: string): Promise<Answer> {
  const answer = chooseDialect(path, request.headers).endpoints[`${request.method} ${path}`];
  if (!answer) throw new ProviderFault('not_found', `Nothing here answers ${request.method} ${path}.`);
  return answer(request.method === 'POST' ? await readJson(request) : undefined);
}

async function sendFrames(response: ServerResponse, frames: Iterable<string>, delayMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  let first = true;
  for (const frame of frames) {
    // Before each frame but the first: the stream ends with the last frame.
    if (!first && delayMs > 0) await sleep(delayMs);
    first = false;
    if (response.destroyed) return;
    if (!response.write(frame)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

async function serve(request: IncomingMessage, response: ServerResponse, delayMs: number): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const dialect = chooseDialect(path, request.headers);
  const requestId = `req_${randomUUID().replaceAll('-', '')}`;
  response.setHeader(dialect.requestIdHeader, requestId);
  try {
    const answer = await findAnswer(request, path);
    if ('frames' in answer) await sendFrames(response, answer.frames, delayMs);
    else sendJson(response, answer.status, answer.json);
  } catch (error) {
    if (error instanceof ProviderFault) sendJson(response, error.status, dialect.toErrorBody(error, requestId));
    else response.destroy(error instanceof Error ? error : undefined);
  }
}

/**
 * Starts a provider that answers in OpenAI's and Anthropic's formats without a model. The same request always gets the same answer and
 * the same token counts, streamed or not. Every API key is accepted.
 *
 * @param options.delayMs the pause between the frames of a stream, so that a person sees it flow; default 30
 */
export async function startDemoProvider(options: { host: string; port: number; delayMs?: number }): Promise<Service> {
  const delayMs = options.delayMs ?? 30;
  const server = await startHttpServer((request, response) => void serve(request, response, delayMs), options);
  const stop = () => server.stop(100);
  return { url: server.url, stop, [Symbol.asyncDispose]: stop };
}
