import type { Dispatcher } from 'undici';
import type { HeaderValues } from '../exchange.ts';
import { changeKey } from '../head/endpoints.ts';
import type { Head } from '../journey.ts';
import type { Provider } from '../settings/provider.ts';
import { FirstAnswer, type OnFailed } from './first-answer.ts';

/** The account's limit there, and a region that is full. */
const refusals = new Set([429, 503]);

/**
 * Sends a call on, and once more to the next endpoint of its provider if the first refuses it or loses it before its answer has begun.
 *
 *   first --429, 503, lost--> next --whatever comes--> agent
 */
export class FailingOver implements Pick<Dispatcher, 'dispatch'> {
  readonly #find: (endpoint: Provider) => Pick<Dispatcher, 'dispatch'>;
  readonly #head: Head;
  readonly #first: Provider;
  readonly #onFailed: OnFailed;

  /** @param onFailed moves the call to its next endpoint, unless that must not have it */
  constructor(find: (endpoint: Provider) => Pick<Dispatcher, 'dispatch'>, head: Head, onFailed: OnFailed) {
    this.#find = find;
    this.#head = head;
    this.#first = head.provider;
    this.#onFailed = onFailed;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { provider, next } = this.#head;
    const upstream = this.#find(provider);
    if (next === null) return upstream.dispatch(this.#aim(options), handler);
    const goOn: OnFailed = (...why) => {
      const moves = this.#onFailed(...why);
      if (moves) this.dispatch(options, handler);
      return moves;
    };
    return upstream.dispatch(options, new FirstAnswer(handler, (status) => refusals.has(status), goOn));
  }

  #aim(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
    const { provider, sentPath, query } = this.#head;
    if (provider === this.#first) return options;
    const headers = changeKey(options.headers as HeaderValues, this.#first, provider, this.#head);
    return { ...options, origin: provider.baseUrl.origin, path: provider.basePath + sentPath + query, headers };
  }
}
