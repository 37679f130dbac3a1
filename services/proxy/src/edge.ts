import express, { type Express } from 'express';
import type { ProxyContext } from './context.ts';
import { handleRequest } from './pipeline.ts';

/** The Express application: it knows addresses and hands every request to the pipeline, whatever its method or path. */
export function createEdge(context: ProxyContext): Express {
  const edge = express();
  edge.disable('x-powered-by');
  edge.disable('etag');
  edge.set('query parser', false);
  edge.set('trust proxy', context.config.trustProxy ?? false);
  edge.use((request, response) =>
    handleRequest(context, {
      method: request.method,
      target: request.originalUrl,
      rawHeaders: request.rawHeaders,
      sourceIp: toPlainAddress(request.ip),
      arrived: performance.now(),
      request,
      response,
    }),
  );
  return edge;
}

/** An IPv4 address that came in over an IPv6 socket is shown as IPv4. */
function toPlainAddress(address: string | undefined): string {
  return address?.replace(/^::ffff:(?=\d+\.)/, '') ?? 'unknown';
}
