import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Sends a whole JSON response. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length, ...headers })
    .end(bytes);
}
