import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Service, sendJson, startHttpServer } from '@agp/runtime';
import type { Answer } from './answer.ts';
import { type Dialect, dialects } from './dialects.ts';
import { readDirectives } from './directives.ts';
import { ProviderFault } from './provider-fault.ts';
import { readBody } from './read-body.ts';
import { pause, sendAnswer } from './send-answer.ts';

interface Target {
  dialect: Dialect;
  /** Without the part that names the API. */
  path: string;
  query: URLSearchParams;
}

/** The part before the path names the API: a path without one is OpenAI's. */
function readTarget(url: string): Target {
  const [path = '/', query = ''] = url.split('?', 2);
  const [, api = '', rest = ''] = /^\/(\w+)(\/.*)$/.exec(path) ?? [];
  const named = Object.hasOwn(dialects, api) ? dialects[api] : undefined;
  return {
    dialect: named ?? (dialects.openai as Dialect),
    path: named ? rest : path,
    query: new URLSearchParams(query),
  };
}

function decodeParam(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

async function findAnswer(request: IncomingMessage, { dialect, path, query }: Target): Promise<Answer> {
  for (const [method, pattern, answer] of dialect.routes) {
    const found = method === request.method ? pattern.exec(path) : null;
    if (found === null) continue;
    const params = found.slice(1).map(decodeParam);
    return answer({ headers: request.headers, query, params, ...(await readBody(request)) });
  }
  throw new ProviderFault('not_found', `Nothing here answers ${request.method} ${path.slice(0, 200)}.`);
}

/** Statuses after which official clients try again, as the providers ask them to. */
const retried = new Set([429, 503, 529]);

async function serve(request: IncomingMessage, response: ServerResponse, frameMs: number): Promise<void> {
  const target = readTarget(request.url ?? '/');
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
      sendJson(response, error.status, target.dialect.toErrorBody(error, requestId), headers);
    }
  }
}

/**
 * Starts a provider that answers in the formats of OpenAI, Anthropic and Gemini without a model, below `/openai`, `/anthropic` and
 * `/gemini`. The same request always gets the same answer and the same token counts, streamed or not. Every API key is accepted.
 *
 * @param options.delayMs the pause between the frames of a stream, so that a person sees it flow; default 30
 */
export async function startDemoProvider(options: { host: string; port: number; delayMs?: number }): Promise<Service> {
  const frameMs = options.delayMs ?? 30;
  const server = await startHttpServer((request, response) => void serve(request, response, frameMs), options);
  const stop = () => server.stop(100);
  return { url: server.url, stop, [Symbol.asyncDispose]: stop };
}
