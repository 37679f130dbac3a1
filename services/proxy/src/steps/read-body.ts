import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { ApiError } from '@agp/core/errors';
import { ContentDigest } from '../content-digest.ts';
import type { ProxyContext } from '../context.ts';
import { dropRest } from '../drop-rest.ts';
import type { Exchange } from '../exchange.ts';
import { inspectBody } from '../inspect-body.ts';
import type { Admission, Body, Head } from '../journey.ts';

/** An agent that sends nothing of its body for this long is given up, in milliseconds. */
const silenceMs = 30_000;

const endedEarly = () => new ApiError('malformed_request', 'the request body ended early');

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
  if (exchange.request.destroyed) throw endedEarly();
  if (!head.hasBody) return { inspected: null, toProvider: null, waitedMs: 0, sha256: () => null, release: () => {} };
  if (exchange.request.headers.expect !== undefined) exchange.response.writeContinue();
  if (head.operation === null) return streamBody(context, exchange.request);

  const from = performance.now();
  const bytes = await bufferBody(context, exchange.request);
  const waitedMs = performance.now() - from;
  const digest = new ContentDigest();
  digest.update(bytes);
  const contentType = exchange.request.headers['content-type'] ?? '';
  const inspected = inspectBody(head.operation, head.provider, bytes, head.path, contentType);
  return {
    inspected,
    toProvider: inspected.toProvider,
    waitedMs,
    sha256: () => digest.digest(),
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
    const settle = () => {
      clearTimeout(silence);
      request.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const refuse = (error: ApiError) => {
      context.load.bufferedBytes -= length;
      settle();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      context.load.bufferedBytes += chunk.length;
      chunks.push(chunk);
      silence.refresh();
      if (length > maxRequestBytes) refuse(new ApiError('request_too_large'));
      else if (context.load.bufferedBytes > maxBufferedBytes) {
        refuse(new ApiError('proxy_overloaded', undefined, { 'Retry-After': '1' }));
      }
    };
    const onEnd = () => {
      settle();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    };
    const onClose = () => refuse(endedEarly());
    const silence = setTimeout(() => refuse(stalled()), silenceMs);
    request.on('data', onData).once('end', onEnd).once('close', onClose);
  });
}

const stalled = () => new ApiError('malformed_request', 'the request body stopped coming');

function streamBody(context: ProxyContext, request: IncomingMessage): Body {
  const digest = new ContentDigest();
  const stream = new PassThrough();
  // The call to the provider tells what broke it; unheard, it would end the process once that call is over.
  stream.on('error', () => {});
  let length = 0;
  const onData = (chunk: Buffer) => {
    length += chunk.length;
    silence.refresh();
    if (length > context.config.maxRequestBytes) stream.destroy(new ApiError('request_too_large'));
    else digest.update(chunk);
  };
  const onClose = () => {
    clearTimeout(silence);
    if (!request.complete) stream.destroy(endedEarly());
  };
  // A provider that takes its time pauses the agent, who is then not to blame for the silence.
  const silence = setTimeout(() => (request.isPaused() ? silence.refresh() : stream.destroy(stalled())), silenceMs);
  request
    .on('data', onData)
    .once('end', () => clearTimeout(silence))
    .once('close', onClose);
  request.pipe(stream);
  return {
    inspected: null,
    toProvider: stream,
    waitedMs: 0,
    sha256: () => digest.digest(),
    // A provider may answer before it has all of the body, or never take it.
    release: () => {
      clearTimeout(silence);
      request.off('data', onData).off('close', onClose).unpipe(stream);
      stream.destroy();
      dropRest(request);
    },
  };
}
