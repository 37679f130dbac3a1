import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ApiError } from '@agp/core/errors';
import { toPlainAddress } from '@agp/runtime';
import express from 'express';
import type { ProxyContext } from '../context.ts';
import { handleRequest } from '../pipeline.ts';
import { answerError } from './answer-error.ts';

/** The Express application: it knows addresses and hands every request to the pipeline, whatever its method or path. */
export function createEdge(context: ProxyContext): RequestListener {
  const hand = async (request: IncomingMessage, response: ServerResponse, target: string, address?: string) => {
    const exchange = {
      method: request.method ?? '',
      target,
      rawHeaders: request.rawHeaders,
      sourceIp: toPlainAddress(address) ?? toPlainAddress(request.socket.remoteAddress) ?? 'unknown',
      arrived: performance.now(),
      request,
      response,
    };
    if (context.callers.greet(request, response)) return;
    try {
      await handleRequest(context, exchange);
    } catch (error) {
      // The pipeline ends every request itself. Should its own end fail, no page of Express' tells the agent about it.
      context.logger.error({ error: (error as Error).stack }, 'a request could not be finished');
      answerError(exchange, new ApiError('internal'), {});
    }
  };
  const edge = express();
  edge.disable('x-powered-by');
  edge.disable('etag');
  edge.set('query parser', false);
  edge.set('trust proxy', context.config.trustProxy);
  edge.use((request, response) => hand(request, response, request.originalUrl, request.ip));
  return (request, response) => {
    const target = request.url ?? '';
    if (target.startsWith('/')) edge(request, response);
    // Express takes other targets apart in ways of its own; the pipeline refuses them as they are.
    else void hand(request, response, target);
  };
}
