import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { ApiError } from '@agp/core/errors';
import { ContentDigest } from '../content-digest.ts';
import type { ProxyContext } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { inspectBody } from '../inspect-body.ts';
import type { Admission, Body, Head } from '../journey.ts';

const endedEarly = 'the request body ended early';

/**
 * Reads the body of an operation that we inspect; lets every other body stream.
 *
 * @param _admission the body of a request that was not admitted is never read
 * @throws ApiError `request_too_large`, `proxy_overloaded`, `malformed_request` when the agent stops sending
 */
export async function readBody(
  context: ProxyContext,
  exchange: Exchange,
  head: Head,
  _admission: Admission,
): Promise<Body> {
  // An agent that left during admission sends no more events to listen for.
  if (exchange.request.destroyed) throw new ApiError('malformed_request', endedEarly);
  if (!head.hasBody) return { inspected: null, toProvider: null, sha256: () => null, waitedMs: 0, release: () => {} };
  if (exchange.request.headers.expect !== undefined) exchange.response.writeContinue();
  if (head.operation === null) return streamBody(context, exchange.request);

  const started = performance.now();
  const bytes = await bufferBody(context, exchange.request);
  const waitedMs = performance.now() - started;
  const digest = new ContentDigest();
  digest.update(bytes);
  const inspected = inspectBody(head.operation, bytes, head.path);
  return {
    inspected,
    toProvider: inspected.toProvider,
    sha256: () => digest.digest(),
    waitedMs,
    release: () => {
      context.load.bufferedBytes -= bytes.length;
    },
  };
}

/** Everything the agent sends, counted as buffered until it is released. */
function bufferBody(context: ProxyContext, request: IncomingMessage): Promise<Buffer> {
  const { maxRequestBytes, maxBufferedBytes } = context.config;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const refuse = (error: ApiError) => {
      context.load.bufferedBytes -= length;
      request.removeAllListeners('data').removeListener('end', onEnd).removeListener('close', onClose);
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      context.load.bufferedBytes += chunk.length;
      chunks.push(chunk);
      if (length > maxRequestBytes) refuse(new ApiError('request_too_large'));
      else if (context.load.bufferedBytes > maxBufferedBytes) {
        refuse(new ApiError('proxy_overloaded', undefined, { 'Retry-After': '1' }));
      }
    };
    const onEnd = () => {
      request.removeListener('close', onClose);
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    };
    const onClose = () => refuse(new ApiError('malformed_request', endedEarly));
    request.on('data', onData).once('end', onEnd).once('close', onClose);
  });
}

function streamBody(context: ProxyContext, request: IncomingMessage): Body {
  const digest = new ContentDigest();
  const stream = new PassThrough();
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > context.config.maxRequestBytes) {
      stream.destroy(new ApiError('request_too_large'));
      return;
    }
    digest.update(chunk);
  });
  request.pipe(stream);
  request.once('close', () => {
    if (!request.complete) stream.destroy(new ApiError('malformed_request', endedEarly));
  });
  return {
    inspected: null,
    toProvider: stream,
    sha256: () => digest.digest(),
    waitedMs: 0,
    release: () => {},
  };
}
