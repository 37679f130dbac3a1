import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Body } from '../journey.ts';

/** A longer error is passed on unread, in bytes. */
const maxHeld = 64 * 1024;

const asked = 'stream_options';

/** Sends calls on, and what refuses the request for usage once more as the agent wrote it. */
export class AskingUpstream implements Pick<Dispatcher, 'dispatch'> {
  readonly #upstream: Pick<Dispatcher, 'dispatch'>;
  readonly #body: Body;
  readonly #onRefused: () => void;

  /** @param onRefused the provider took the request once it was not asked for usage */
  constructor(upstream: Pick<Dispatcher, 'dispatch'>, body: Body, onRefused: () => void) {
    this.#upstream = upstream;
    this.#body = body;
    this.#onRefused = onRefused;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { inspected, toProvider } = this.#body;
    // A body that a policy changed, or whose agent asked itself, is not sent again.
    const mayRepeat =
      inspected?.usageAsked === true && toProvider === inspected.toProvider && !inspected.bytes.includes(`"${asked}"`);
    if (!mayRepeat) return this.#upstream.dispatch(options, handler);
    const repeat = () => {
      this.#body.inspected = { ...inspected, toProvider: inspected.bytes, usageAsked: false };
      this.#body.toProvider = inspected.bytes;
      const headers = { ...(options.headers as Record<string, string>), 'content-length': `${inspected.bytes.length}` };
      this.#upstream.dispatch({ ...options, headers, body: inspected.bytes }, noteTaken(handler, this.#onRefused));
    };
    return this.#upstream.dispatch(options, new RefusalHolder(handler, repeat));
  }
}

/** The same handler, which tells of an answer that is no error. */
function noteTaken(handler: Dispatcher.DispatchHandler, onTaken: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...given) => handler.onRequestStart?.(...given),
    onResponseStart: (controller, status, ...given) => {
      if (status >= 200 && status < 300) onTaken();
      handler.onResponseStart?.(controller, status, ...given);
    },
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  };
}

/** Keeps an error back until it is known whether it names what the proxy asked for; all else passes as it comes. */
class RefusalHolder implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #onRefused: () => void;
  #passHead: (() => void) | null = null;
  readonly #held: Buffer[] = [];
  #length = 0;

  constructor(handler: Dispatcher.DispatchHandler, onRefused: () => void) {
    this.#handler = handler;
    this.#onRefused = onRefused;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    message?: string,
  ): void {
    const pass = () => this.#handler.onResponseStart?.(controller, status, headers, message);
    if (status === 400 || status === 422) this.#passHead = pass;
    else pass();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#passHead === null) {
      this.#handler.onResponseData?.(controller, chunk);
      return;
    }
    this.#held.push(chunk);
    this.#length += chunk.length;
    if (this.#length > maxHeld) this.#passHeld(controller);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    if (this.#passHead !== null && Buffer.concat(this.#held).includes(asked)) this.#onRefused();
    else {
      this.#passHeld(controller);
      this.#handler.onResponseEnd?.(controller, trailers);
    }
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#passHeld(controller);
    this.#handler.onResponseError?.(controller, error);
  }

  #passHeld(controller: Dispatcher.DispatchController): void {
    this.#passHead?.();
    this.#passHead = null;
    for (const chunk of this.#held.splice(0)) this.#handler.onResponseData?.(controller, chunk);
  }
}
