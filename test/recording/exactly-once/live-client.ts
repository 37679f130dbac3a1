import { setTimeout } from 'node:timers/promises';
import type { Event } from '@agp/core/contracts';
import { Agent, fetch, type Response } from 'undici';

/**
 * How far back a client asks after it lost the stream, in milliseconds. An event whose writer died between recording
 * and announcing it is announced by another one when JetStream gives it out again, 30 s later: if that falls into the
 * time without a stream, the event was recorded so long before.
 */
const afterCrashMs = 35_000;

/** What an EventSource does too, if longer: it does not come back at once. */
const reconnectAfterMs = 500;

/** A client of the live stream as docs/api.md asks for: it reconnects whenever the stream ends, and backfills. */
export class LiveClient {
  readonly seen = new Set<string>();
  /** Ids that came on the stream. */
  readonly live = new Set<string>();
  /** Ids that came twice on one connection. */
  readonly repeated: string[] = [];
  connections = 0;
  /** What came of each try to open the stream, or to read what it missed, that failed: the text of a 503, or how it broke. */
  readonly failedConnects: string[] = [];
  /** A request on a kept connection may meet the end of it; one on its own connection fails only if the service fails it. */
  readonly #dispatcher = new Agent({ pipelining: 0 });
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #lookBackMs: number;
  #stopped = false;
  #connection = new AbortController();
  #lastHeard = Date.now();

  constructor(url: string, apiKey: string, lookBackMs = afterCrashMs) {
    this.#url = url;
    this.#lookBackMs = lookBackMs;
    this.#headers = { authorization: `Bearer ${apiKey}` };
  }

  /** Breaks the connection, as a network does. */
  disconnect(): void {
    this.#connection.abort();
  }

  stop(): void {
    this.#stopped = true;
    this.disconnect();
  }

  /** Goes on until `stop`. Rejects when an answer is not what the document says. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const since = new Date(this.#lastHeard - this.#lookBackMs);
      this.#connection = new AbortController();
      const { signal } = this.#connection;
      const headers = { ...this.#headers, accept: 'text/event-stream' };
      const response = await this.#ask('/api/v1/events/stream', { headers, signal });
      if (response === null) continue;
      if (response.status !== 200 || !response.body)
        throw new Error(`the stream answered ${response.status} ${await response.text()}`);
      this.connections += 1;
      // The stream is read meanwhile, or the server would drop a client that does not read.
      await Promise.all([this.#read(response.body), this.connections > 1 ? this.#backfill(since) : null]);
      if (!this.#stopped) await setTimeout(reconnectAfterMs);
    }
  }

  /** @returns null after a try that failed, a while later */
  async #ask(path: string, init: { headers: Record<string, string>; signal?: AbortSignal }): Promise<Response | null> {
    try {
      const response = await fetch(`${this.#url}${path}`, { ...init, dispatcher: this.#dispatcher });
      if (response.status !== 503) return response;
      this.failedConnects.push(`503 ${await response.text()}`);
    } catch (error) {
      if (this.#stopped) return null;
      const { message, cause } = error as Error;
      this.failedConnects.push(`${message}: ${cause}`);
    }
    await setTimeout(reconnectAfterMs);
    return null;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const onThisConnection = new Set<string>();
    let text = '';
    try {
      for await (const piece of body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)) {
        const messages = (text + piece).split('\n\n');
        text = messages.pop() ?? '';
        this.#lastHeard = Date.now();
        for (const message of messages) {
          if (message === ': keepalive') continue;
          const [, data] = /^event: agent_event\ndata: (.*)$/.exec(message) ?? [];
          if (data === undefined) throw new SyntaxError(`not a message of the stream: ${message}`);
          const { id } = JSON.parse(data) as Event;
          if (onThisConnection.has(id)) this.repeated.push(id);
          onThisConnection.add(id);
          this.live.add(id);
          this.seen.add(id);
        }
      }
    } catch (error) {
      if (error instanceof SyntaxError) throw error;
      // The connection broke.
    }
  }

  async #backfill(since: Date): Promise<void> {
    let next: string | undefined = `/api/v1/events?limit=1000&recorded_after=${since.toISOString()}`;
    while (next !== undefined && !this.#stopped) {
      const response = await this.#ask(next, { headers: this.#headers });
      if (response === null) continue;
      if (response.status !== 200) throw new Error(`${next} answered ${response.status}`);
      for (const { id } of (await response.json()) as Event[]) this.seen.add(id);
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    }
  }
}
