import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { decodeSpans, type SentSpan } from './decode-spans.ts';

/** Where spans are sent: what an OpenTelemetry collector is, for a test. */
export interface Collector extends AsyncDisposable {
  url: string;
  spans: SentSpan[];
  /** Of each batch. */
  requests: { path: string; headers: IncomingHttpHeaders }[];
}

/** Starts a receiver of OTLP over HTTP on a free port of loopback. */
export async function startCollector(): Promise<Collector> {
  const spans: SentSpan[] = [];
  const requests: Collector['requests'] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    requests.push({ path: request.url ?? '', headers: request.headers });
    spans.push(...decodeSpans(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  };
  const server = createServer((request, response) => {
    receive(request, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
