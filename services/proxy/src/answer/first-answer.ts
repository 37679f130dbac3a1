import type { IncomingHttpHeaders } from 'node:http';
import type { FailureCause } from '@agp/core/events';
import type { Dispatcher } from 'undici';
import { maxHeldError } from '../limits.ts';
import { toFailureCause } from './failures.ts';

/** No answer has begun, and none will; a provider that is silent may yet work. */
const lost: ReadonlySet<FailureCause> = new Set<FailureCause>([
  'name_not_found',
  'refused',
  'unreachable',
  'connect_timeout',
  'tls',
  'reset',
  'proxy',
]);

/** How long a refusal that nobody reads may take to its end, in milliseconds: then its connection is given up. */
const refusalMs = 5_000;

/** Why a call is sent once more. @param error null if it was refused @returns false if the answer passes */
export type OnFailed = (reason: string, error: Error | null) => boolean;

/** Which refusals are not the last word. */
export type Refuses = (status: number, headers: IncomingHttpHeaders) => boolean;

/** Passes an answer, unless the call is sent once more for another. */
export class FirstAnswer implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #refuses: Refuses;
  readonly #goOn: OnFailed;
  #hasBegun = false;
  /** The bytes of a refusal that nobody reads; null if it passes. */
  #dropped: number | null = null;
  #giveUp: NodeJS.Timeout | undefined;

  constructor(handler: Dispatcher.DispatchHandler, refuses: Refuses, goOn: OnFailed) {
    this.#handler = handler;
    this.#refuses = refuses;
    this.#goOn = goOn;
  }

  onRequestStart(...given: [Dispatcher.DispatchController, unknown]): void {
    this.#handler.onRequestStart?.(...given);
  }

  onResponseStart(...given: [Dispatcher.DispatchController, number, IncomingHttpHeaders, string?]): void {
    const [, status, headers] = given;
    if (status >= 200) this.#hasBegun = true;
    if (!this.#refuses(status, headers) || !this.#leave(given[0], String(status), null)) {
      this.#handler.onResponseStart?.(...given);
      return;
    }
    // Its connection is kept if the rest comes soon.
    this.#giveUp = setTimeout(() => given[0].abort(new Error('a refusal that nobody reads takes too long')), refusalMs);
    this.#giveUp.unref();
  }

  /** @returns false if the answer passes */
  #leave(controller: Dispatcher.DispatchController, ...why: Parameters<OnFailed>): boolean {
    this.#dropped = 0;
    try {
      if (this.#goOn(...why)) return true;
      this.#dropped = null;
      return false;
    } catch (error) {
      this.#handler.onResponseError?.(controller, error as Error);
      return true;
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#dropped === null) {
      this.#handler.onResponseData?.(controller, chunk);
      return;
    }
    this.#dropped += chunk.length;
    if (this.#dropped > maxHeldError) controller.abort(new Error('a refusal that nobody reads is too large'));
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    clearTimeout(this.#giveUp);
    if (this.#dropped === null) this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#giveUp);
    if (this.#dropped !== null) return;
    const cause = toFailureCause(error);
    const isLost = !this.#hasBegun && cause !== null && lost.has(cause);
    if (!isLost || !this.#leave(controller, cause, error)) this.#handler.onResponseError?.(controller, error);
  }
}
