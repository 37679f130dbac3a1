import { ApiError } from '@agp/core/errors';
import type { AnnouncedEvent } from '@agp/core/events';
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../keys/authenticate.ts';
import { presentStreamEvent } from '../presenters/present-event.ts';

export interface StreamFilter {
  agentId?: string | undefined;
  sessionId?: string | undefined;
}

/** Whose stream it is. */
export type StreamOwner = Pick<Caller, 'keyId' | 'secretSha256'>;

interface Stream {
  response: Response;
  filter: StreamFilter;
  /** Of the key that it was opened with. */
  keyId: string;
  /** Hex digest of the key's secret. */
  secretSha256: string;
  keepalive: NodeJS.Timeout;
}

export interface LiveStreamsOptions {
  /** Silence towards a client after which a comment is sent, in milliseconds. */
  keepaliveMs: number;
  /** Ids of sent events that are remembered, so that an event announced twice is sent once. */
  rememberedEvents?: number;
  /** Streams that may be open at once. */
  maxStreams?: number;
  /** Of one key; as many as of all if not given. */
  maxStreamsPerKey?: number;
}

/** What a client may leave unread before it is dropped, in bytes. */
const maxBacklogBytes = 1024 * 1024;

/** How long a client may take to read the rest of an ended stream, in milliseconds. */
const endGraceMs = 2_000;

const keepaliveText = ': keepalive\n\n';

function matches(event: AnnouncedEvent, { agentId, sessionId }: StreamFilter): boolean {
  return (
    (agentId === undefined || event.agent_id === agentId) && (sessionId === undefined || event.session_id === sessionId)
  );
}

/**
 * The open event streams of this process. A stream is a promise: what is recorded after its
 * headers went out is sent on it, or it ends. Wherever that cannot be kept (a gap, a lost broker, a client that does not
 * read), the stream is ended, and the client reconnects and backfills through `GET /api/v1/events`.
 */
export class LiveStreams {
  readonly #options: LiveStreamsOptions;
  readonly #streams = new Set<Stream>();
  readonly #sent: LRUCache<string, true>;
  #stopped = false;

  constructor(options: LiveStreamsOptions) {
    this.#options = options;
    this.#sent = new LRUCache({ max: options.rememberedEvents ?? 100_000 });
  }

  /** How many clients are connected. */
  get size(): number {
    return this.#streams.size;
  }

  /** Hex digests of the secrets that the open streams were opened with. */
  get secrets(): string[] {
    return [...new Set([...this.#streams].map((stream) => stream.secretSha256))];
  }

  /**
   * Turns a response into a stream, until its client leaves or it is ended here.
   *
   * @throws ApiError `too_many_streams_of_key`, `too_many_streams`
   */
  open(response: Response, filter: StreamFilter, { keyId, secretSha256 }: StreamOwner): void {
    const ofKey = [...this.#streams].filter((stream) => stream.keyId === keyId).length;
    if (ofKey >= (this.#options.maxStreamsPerKey ?? Number.POSITIVE_INFINITY)) {
      throw new ApiError('too_many_streams_of_key');
    }
    if (this.#streams.size >= (this.#options.maxStreams ?? 1_000)) {
      throw new ApiError('too_many_streams');
    }
    // Whoever comes back after its end connects anew: not to this process, where that is on its way out.
    response.shouldKeepAlive = false;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // nginx buffers answers unless it is told not to.
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    if (this.#stopped || response.req.method === 'HEAD') {
      response.end();
      return;
    }
    const keepalive = setTimeout(() => this.#send(stream, keepaliveText), this.#options.keepaliveMs);
    const stream: Stream = { response, filter, keyId, secretSha256, keepalive };
    this.#streams.add(stream);
    response.on('close', () => this.#forget(stream));
    // A socket that breaks under a write reports here; 'close' follows.
    response.on('error', () => {});
  }

  /** Sends a recorded batch to every client that wants it, leaving out what was sent before. */
  publish(batch: readonly AnnouncedEvent[]): void {
    const fresh: { event: AnnouncedEvent; text: string }[] = [];
    for (const event of batch) {
      if (this.#sent.has(event.id)) continue;
      this.#sent.set(event.id, true);
      fresh.push({ event, text: `event: agent_event\ndata: ${JSON.stringify(presentStreamEvent(event))}\n\n` });
    }
    if (fresh.length === 0) return;
    const everything = fresh.map(({ text }) => text).join('');
    for (const stream of this.#streams) {
      const { agentId, sessionId } = stream.filter;
      const all = agentId === undefined && sessionId === undefined;
      const text = all
        ? everything
        : fresh
            .filter(({ event }) => matches(event, stream.filter))
            .map((entry) => entry.text)
            .join('');
      if (text !== '') this.#send(stream, text);
    }
  }

  /** Ends all streams, or those that were opened with a secret that `ends` names by its digest. */
  endStreams(ends: (secretSha256: string) => boolean = () => true): void {
    for (const stream of this.#streams) {
      if (!ends(stream.secretSha256)) continue;
      this.#forget(stream);
      const { response } = stream;
      response.end();
      // Its end waits behind what the client has not read, perhaps for ever.
      const timer = setTimeout(() => response.destroy(), endGraceMs);
      response.once('close', () => clearTimeout(timer));
    }
  }

  /** Ends every stream, and each that is opened from now on. */
  stop(): void {
    this.#stopped = true;
    this.endStreams();
  }

  #send(stream: Stream, text: string): void {
    if (stream.response.writableLength > maxBacklogBytes) {
      this.#forget(stream);
      stream.response.destroy();
      return;
    }
    stream.response.write(text);
    stream.keepalive.refresh();
  }

  #forget(stream: Stream): void {
    clearTimeout(stream.keepalive);
    this.#streams.delete(stream);
  }
}
