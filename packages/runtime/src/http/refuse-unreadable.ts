import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { sendJson } from './send-json.ts';

type ParserError = Error & { code?: string; reason?: string };

/** Answers by the code of Node's parser error; any other request is malformed. Node itself would answer without a body. */
const refusals: Record<string, readonly [status: string, error: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'request head too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'chunk extensions too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request head not received in time'],
};

function writeRefusal(error: ParserError, socket: Duplex): void {
  const [status, what] = refusals[error.code ?? ''] ?? [
    '400 Bad Request',
    `malformed HTTP request: ${error.reason ?? 'it cannot be read'}`,
  ];
  const body = JSON.stringify({ error: what });
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Answers requests that Node cannot parse with the same kind of error body that all others get. */
export function refuseUnreadable(server: Server): void {
  const broken = new WeakSet<Duplex>();
  server.on('clientError', (error: ParserError, socket) => {
    if (broken.has(socket)) return;
    broken.add(socket);
    // The response that Node is writing on this connection, if any.
    const { _httpMessage: current } = socket as Duplex & { _httpMessage?: ServerResponse };
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (current === undefined || current === null) writeRefusal(error, socket);
    // A request before the broken one gets its response first.
    else if (current.req.complete) current.once('finish', () => writeRefusal(error, socket));
    else if (current.headersSent) socket.destroy();
    else writeRefusal(error, socket);
  });
  server.on('checkExpectation', (_request, response) => refuse(response, 417, 'expectation not supported'));
}

/** More than any client sends. Thousands would cost more time than their bytes, because each is looked at and repeated ones are gathered. */
const maxHeaders = 256;

/**
 * Refuses requests that Node lets through: of other HTTP versions than 1.0 and 1.1, of 1.1 without `Host` (RFC 9112 section 3.2),
 * and with very many headers: Node would silently drop the last ones.
 *
 * @returns true if it was refused
 */
export function refuseOtherHttp(request: IncomingMessage, response: ServerResponse): boolean {
  const { httpVersion, rawHeaders, headers } = request;
  if (rawHeaders.length > 2 * maxHeaders) {
    refuse(response, 431, `more than ${maxHeaders} header fields`);
    return true;
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') refuse(response, 505, 'HTTP version not supported');
  else if (httpVersion === '1.1' && headers.host === undefined) refuse(response, 400, 'host header is missing');
  else return false;
  return true;
}

function refuse(response: ServerResponse, status: number, error: string): void {
  sendJson(response, status, { error }, { connection: 'close' });
}
