import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Body } from '../journey.ts';
import { maxHeldError } from '../limits.ts';

const asked = 'stream_options';

/**
 * Sends calls on, and what refuses the request for usage once more as the agent wrote it; not one that a policy changed, or whose agent
 * asked itself.
 */
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
    if (inspected === null || toProvider !== inspected.toProvider || inspected.bytes.includes(`"${asked}"`))
      return this.#upstream.dispatch(options, handler);
    const { bytes } = inspected;
    const repeat = (holder: Dispatcher.DispatchHandler) => {
      this.#body.inspected = { ...inspected, toProvider: bytes, usageAsked: false };
      this.#body.toProvider = bytes;
      const headers = { ...(options.headers as Record<string, string>), 'content-length': `${bytes.length}` };
      this.#upstream.dispatch({ ...options, headers, body: bytes }, holder);
    };
    return this.#upstream.dispatch(options, new RefusalHolder(handler, repeat, this.#onRefused));
  }
}

/** Keeps an error back until it is known whether it names what the proxy asked for; all else passes as it comes. */
class RefusalHolder implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #repeat: (holder: Dispatcher.DispatchHandler) => void;
  readonly #onRefused: () => void;
  #isRepeated = false;
  #passHead: (() => void) | null = null;
  #held: Buffer[] = [];
  #length = 0;

  constructor(
    handler: Dispatcher.DispatchHandler,
    repeat: (holder: Dispatcher.DispatchHandler) => void,
    onRefused: () => void,
  ) {
    this.#handler = handler;
    this.#repeat = repeat;
    this.#onRefused = onRefused;
  }

  onRequestStart(...given: [Dispatcher.DispatchController, unknown]): void {
    this.#handler.onRequestStart?.(...given);
  }

  onResponseStart(...given: [Dispatcher.DispatchController, number, IncomingHttpHeaders, string?]): void {
    const [, status] = given;
    const mayRefuse = status === 400 || status === 422;
    if (this.#isRepeated && status >= 200 && status < 300) this.#onRefused();
    this.#passHead = () => this.#handler.onResponseStart?.(...given);
    if (this.#isRepeated || !mayRefuse) this.#passHeld(given[0]);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#held.push(chunk);
    this.#length += chunk.length;
    if (this.#passHead === null || this.#length > maxHeldError) this.#passHeld(controller);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    if (this.#passHead !== null && Buffer.concat(this.#held).includes(asked)) {
      this.#isRepeated = true;
      this.#passHead = null;
      this.#held = [];
      this.#repeat(this);
      return;
    }
    this.#passHeld(controller);
    this.#handler.onResponseEnd?.(controller, trailers);
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
