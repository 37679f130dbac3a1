import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { ApiError } from '@agp/core/errors';
import { decodeBody, largeBody, type SearchPlace } from '@agp/metering';
import { asksCost, listDataPolicies } from '@agp/policy';
import { ByteBuffer } from '@agp/runtime/bytes';
import type { BodyShare } from '../body/body-memory.ts';
import { ContentDigest } from '../body/content-digest.ts';
import { watchPace } from '../body/watch-pace.ts';
import type { Setup, Working } from '../context.ts';
import { dropRest, type Exchange } from '../exchange.ts';
import type { Agent } from '../identity/workload.ts';
import { type Admission, type Body, type Counted, findCaps, type Head, toHolder } from '../journey.ts';
import { describeCall } from '../policy/judge.ts';

/** Bytes of a streamed body in the buffers of Node and of the connection to the provider. */
const streamedBytes = 128 * 1024;

const endedEarly = () => new ApiError('malformed_request', 'the request body ended early');
const tooSlow = () => new ApiError('body_too_slow');

/**
 * Reads the body of an operation that we inspect, and streams any other.
 * @param _counted proof that the early limits were checked: the body of a refused request is never read
 * @throws ApiError `request_too_large`, `share_used_up`, `proxy_overloaded`, `body_too_slow`, `malformed_request`
 */
export async function readBody(
  context: Setup & Working,
  exchange: Exchange,
  head: Head,
  agent: Agent,
  admission: Admission,
  _counted: Counted,
): Promise<Body> {
  const { request, response } = exchange;
  // An agent that left during admission sends no more events to listen for.
  if (request.destroyed) throw endedEarly();
  const unread = { inspected: null, toProvider: null, searched: null, waitedMs: 0 };
  if (!head.hasBody) return { ...unread, sha256: () => null, grow: () => {}, endSearch: () => {}, release: () => {} };
  const given = Promise.withResolvers<never>();
  given.promise.catch(() => {});
  const expected = head.operation === null ? 0 : (head.contentLength ?? 0);
  const holder = toHolder(agent, head);
  const share = context.bodyMemory.open(holder, expected, given.reject);
  let place: SearchPlace | null = null;
  try {
    if (head.operation !== null && mustSearch(head, agent, admission))
      place = context.metering.promiseSearch(holder, expected);
    if (request.headers.expect !== undefined) response.writeContinue();
    if (head.operation === null) return streamBody(context, request, share);
    const from = performance.now();
    const digest = new ContentDigest();
    const bytes = await bufferBody(context, request, { length: head.contentLength, share, digest }, given.promise);
    place?.grow(bytes.length);
    const waitedMs = performance.now() - from;
    const contentEncoding = request.headers['content-encoding'] ?? '';
    // Given twice, it is none: servers take the first, or the last.
    const contentType = request.headersDistinct['content-type']?.join(', ') ?? '';
    const decoded = await decodeBody(bytes, contentEncoding, context.config.maxRequestBytes, share.grow);
    const form = { contentType, contentEncoding, decoded };
    const caps = {
      ...findCaps(admission),
      mustName: admission.budgets?.set.byModel || admission.rules !== null,
      mustPrice: admission.rules !== null && asksCost(admission.rules),
    };
    const isLarge = (decoded ?? bytes).length > largeBody;
    const inspected = isLarge
      ? await context.metering.inspectApart(head.operation, head, bytes, form, caps, holder)
      : context.metering.inspect(head.operation, head, bytes, form, caps);
    if (inspected.toProvider !== bytes) share.grow(inspected.toProvider.length);
    return {
      inspected,
      toProvider: inspected.toProvider,
      searched: null,
      waitedMs,
      sha256: () => digest.digest(),
      grow: share.grow,
      endSearch: () => place?.release(),
      release: () => {
        place?.release();
        share.release();
      },
    };
  } catch (error) {
    place?.release();
    share.release();
    throw error;
  }
}

/** Whether a rule of data must see its texts. */
const mustSearch = (head: Head, agent: Agent, admission: Admission): boolean =>
  admission.rules !== null &&
  listDataPolicies(admission.rules, describeCall(head, agent, admission), 'request').some(
    ({ policy }) => policy.mode === 'enforce',
  );

/** @param digest of what comes, piece by piece: that of a large body would hold others up at its end */
function bufferBody(
  { config }: Setup,
  request: IncomingMessage,
  { length, share, digest }: { length: number | null; share: BodyShare; digest: ContentDigest },
  givenUp: Promise<never>,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const buffer = new ByteBuffer(length);
    const settle = () => {
      pace.stop();
      request.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const refuse = (error: unknown) => {
      settle();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      pace.count(chunk.length);
      if (buffer.length + chunk.length > config.maxRequestBytes) {
        refuse(new ApiError('request_too_large'));
        return;
      }
      try {
        share.grow(buffer.growth(chunk.length));
        buffer.push(chunk);
        digest.update(chunk);
      } catch (error) {
        refuse(error);
      }
    };
    const onEnd = () => {
      settle();
      share.complete();
      resolve(buffer.read());
    };
    const onClose = () => refuse(endedEarly());
    const pace = watchPace(request, config, () => refuse(tooSlow()));
    givenUp.catch(refuse);
    request.on('data', onData).once('end', onEnd).once('close', onClose);
  });
}

function streamBody({ config }: Setup, request: IncomingMessage, share: BodyShare): Body {
  share.grow(streamedBytes);
  share.complete();
  const digest = new ContentDigest();
  const stream = new PassThrough();
  // The call to the provider reports the error; without a listener it would end the process.
  stream.on('error', () => {});
  let length = 0;
  const onData = (chunk: Buffer) => {
    length += chunk.length;
    pace.count(chunk.length);
    if (length > config.maxRequestBytes) stream.destroy(new ApiError('request_too_large'));
    else digest.update(chunk);
  };
  const onEnd = () => pace.stop();
  const onClose = () => {
    pace.stop();
    if (!request.complete) stream.destroy(endedEarly());
  };
  const pace = watchPace(request, config, () => stream.destroy(tooSlow()));
  request.on('data', onData).once('end', onEnd).once('close', onClose);
  request.pipe(stream);
  return {
    inspected: null,
    toProvider: stream,
    searched: null,
    waitedMs: 0,
    sha256: () => digest.digest(),
    grow: share.grow,
    endSearch: () => {},
    // A provider may answer before it has all of the body, or never read it.
    release: () => {
      pace.stop();
      request.off('data', onData).off('end', onEnd).off('close', onClose).unpipe(stream);
      stream.destroy();
      share.release();
      dropRest(request);
    },
  };
}
