import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ApiError } from '@agp/core/errors';
import { type HttpServer, startHttpServer, toPlainAddress } from '@agp/runtime';
import express from 'express';
import proxyAddr from 'proxy-addr';
import { answerError } from '../answer/refusal.ts';
import type { ProxyContext } from '../context.ts';
import { readRequestId } from '../head/session-id.ts';
import { handleRequest } from '../pipeline.ts';
import { exchangeToken, tokenPath } from './exchange-token.ts';
import { ownPath, tellAgent } from './tell-agent.ts';

/**
 * Passes every request to the pipeline, whatever its method or path. A router of Express, not an application: that changes the prototypes
 * of requests and responses, which slows all later code.
 */
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
      const path = target.split('?', 1)[0];
      if (path === tokenPath) await exchangeToken(context, exchange);
      else if (path === ownPath) await tellAgent(context, exchange);
      else await handleRequest(context, exchange);
    } catch (error) {
      // The pipeline ends every request itself.
      context.logger.error({ error: (error as Error).stack }, 'a request could not be finished');
      answerError(context.config, exchange, new ApiError('internal'), {});
    }
  };
  const settings = express();
  settings.set('trust proxy', context.config.trustProxy);
  const isTrusted: (address: string, hop: number) => boolean = settings.get('trust proxy fn');
  const edge = express.Router();
  edge.use((request, response) => pass(request, response, request.originalUrl, proxyAddr(request, isTrusted)));
  return (request, response) => {
    const target = request.url ?? '';
    // What Express cannot parse, or parses in its own way, the pipeline refuses unparsed. It never serves a request twice.
    const passOn = (error?: unknown) => {
      if (error) response.destroy();
      else void pass(request, response, target);
    };
    if (target.startsWith('/')) edge(request as express.Request, response as express.Response, passOn);
    else passOn();
  };
}

export async function startEdge(context: ProxyContext): Promise<HttpServer> {
  const { host, proxyPort, drainDelaySeconds, maxConnections, idleConnectionSeconds: idleSeconds } = context.config;
  const bounds = { maxConnections, idleSeconds };
  const http = await startHttpServer(createEdge(context), { host, port: proxyPort }, drainDelaySeconds, bounds);
  // Without this, Node would ask for every body before the agent is admitted.
  http.server.on('checkContinue', (request, response) => http.server.emit('request', request, response));
  return http;
}
