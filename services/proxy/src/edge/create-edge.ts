import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ApiError } from '@agp/core/errors';
import { toPlainAddress } from '@agp/runtime';
import express from 'express';
import type { ProxyContext } from '../context.ts';
import { readRequestId } from '../head/read-request-id.ts';
import { handleRequest } from '../pipeline.ts';
import { answerError } from './answer-error.ts';

/** The Express application: it finds the agent's address and passes every request to the pipeline, whatever its method or path. */
export function createEdge(context: ProxyContext): RequestListener {
  const pass = async (request: IncomingMessage, response: ServerResponse, target: string, address?: string) => {
    const exchange = {
      method: request.method ?? '',
      target,
      rawHeaders: request.rawHeaders,
      sourceIp: toPlainAddress(address) ?? toPlainAddress(request.socket.remoteAddress) ?? 'unknown',
      requestId: readRequestId(request),
      arrived: performance.now(),
      request,
      response,
    };
    if (context.callers.greet(request, response)) return;
    try {
      await handleRequest(context, exchange);
    } catch (error) {
      // The pipeline ends every request itself. If even that fails, Express must not answer with a page of its own.
      context.logger.error({ error: (error as Error).stack }, 'a request could not be finished');
      answerError(exchange, new ApiError('internal'), {});
    }
  };
  const edge = express();
  edge.disable('x-powered-by');
  edge.disable('etag');
  edge.set('query parser', false);
  edge.set('trust proxy', context.config.trustProxy);
  edge.use((request, response) => pass(request, response, request.originalUrl, request.ip));
  return (request, response) => {
    const target = request.url ?? '';
    if (target.startsWith('/')) edge(request, response);
    // Express parses other targets in its own way; the pipeline refuses them unparsed.
    else void pass(request, response, target);
  };
}
