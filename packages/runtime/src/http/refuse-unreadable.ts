import { randomUUIDv7 } from 'node:crypto';
import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, type ErrorCode } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';

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

type ParserError = Error & { code?: string; reason?: string };

/** By the code of Node's parser error; any other request is malformed. Node itself would answer without a body. */
const refusals: Record<string, readonly [code: ErrorCode, message?: string]> = {
  HPE_HEADER_OVERFLOW: ['request_head_too_large', 'request head too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['request_too_large', 'chunk extensions too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_head_too_slow'],
};

function toApiError({ code = '', reason = 'it cannot be read' }: ParserError): ApiError {
  return new ApiError(...(refusals[code] ?? (['malformed_request', `malformed HTTP request: ${reason}`] as const)));
}

const toHeaders = ({ headers }: ApiError) => ({
  Connection: 'close',
  ...headers,
  'X-Request-Id': toPublicId('req', randomUUIDv7()),
});

function writeRefusal(error: ParserError, socket: Duplex): void {
  const refusal = toApiError(error);
  const body = JSON.stringify({ error: refusal.message });
  const fields = {
    ...toHeaders(refusal),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...lines].join('\r\n');
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
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
  server.on('checkExpectation', (_request, response) => refuse(response, new ApiError('expectation_not_supported')));
}

/** More than any client sends; thousands would cost more time than their bytes. */
const maxHeaders = 256;

/**
 * Refuses requests that Node lets through: of other HTTP versions than 1.0 and 1.1, of 1.1 without `Host` (RFC 9112 section 3.2), and with
 * very many headers: Node would silently drop the last ones. Returns true if it was refused.
 */
export function refuseOtherHttp(request: IncomingMessage, response: ServerResponse): boolean {
  const { httpVersion, rawHeaders, headers } = request;
  if (rawHeaders.length > 2 * maxHeaders) {
    refuse(response, new ApiError('request_head_too_large', `more than ${maxHeaders} header fields`));
    return true;
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') refuse(response, new ApiError('http_version_not_supported'));
  else if (httpVersion === '1.1' && headers.host === undefined)
    refuse(response, new ApiError('malformed_request', 'host header is missing'));
  else return false;
  return true;
}

function refuse(response: ServerResponse, error: ApiError): void {
  sendJson(response, error.status, { error: error.message }, toHeaders(error));
}
