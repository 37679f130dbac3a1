import type { ServerResponse } from 'node:http';
import { type AnswerPipe, rolesOf } from '@agp/metering';
import type { Dispatcher } from 'undici';
import type { HeaderValues } from '../exchange.ts';
import type { AdmittedRequest } from '../journey.ts';

export function toDispatch(
  { head, body }: AdmittedRequest,
  holdsLinks: boolean,
): Dispatcher.DispatchOptions & { headers: HeaderValues } {
  const { baseUrl } = head.provider;
  if (head.keyUse) head.keyUse.isUsed = true;
  const headers: HeaderValues = { ...head.headers };
  if (Buffer.isBuffer(body.toProvider)) headers['content-length'] = String(body.toProvider.length);
  else if (head.contentLength !== null) headers['content-length'] = String(head.contentLength);
  const { inspected } = body;
  const isChanged = inspected !== null && (inspected.usageAsked || body.toProvider !== inspected.toProvider);
  // What we asked for, and links, must be found, so this answer must not be compressed.
  const mustBePlain = holdsLinks || inspected?.usageAsked === true;
  if (isChanged || mustBePlain) {
    for (const name of Object.keys(headers)) {
      const key = name.toLowerCase();
      if ((mustBePlain && key === 'accept-encoding') || (isChanged && rolesOf(key).has('digest'))) delete headers[name];
    }
    if (mustBePlain) headers['accept-encoding'] = 'identity';
  }
  return {
    origin: baseUrl.origin,
    path: head.provider.basePath + head.sentPath + head.query,
    method: head.method as Dispatcher.HttpMethod,
    headers,
    body: body.toProvider,
  };
}

type Waiter = 'agent' | 'reader';

/** Pauses the provider's answer until both sides are ready. Bytes already under way still arrive. */
export class Flow {
  readonly #waiters = new Set<Waiter>();

  /** @returns false if it is already paused for the same side */
  pause(controller: Dispatcher.DispatchController, waiter: Waiter): boolean {
    if (this.#waiters.has(waiter)) return false;
    this.#waiters.add(waiter);
    controller.pause();
    return true;
  }

  /** An agent that stops reading must not hold the provider's connection for ever. */
  pauseUntilRead(controller: Dispatcher.DispatchController, response: ServerResponse, patienceMs: number): void {
    if (!this.pause(controller, 'agent')) return;
    const patience = setTimeout(() => response.destroy(), patienceMs);
    const go = () => {
      clearTimeout(patience);
      response.off('drain', go).off('close', go);
      this.resume(controller, 'agent');
    };
    response.on('drain', go).on('close', go);
  }

  /** @param goOn lets the pipe do what it has its turn for */
  pauseUntilReady(controller: Dispatcher.DispatchController, pipe: AnswerPipe, goOn: () => void): void {
    if (!this.pause(controller, 'reader')) return;
    const go = () => {
      try {
        goOn();
      } catch (error) {
        controller.abort(error as Error);
      }
      if (pipe.isReady || controller.aborted) this.resume(controller, 'reader');
      else pipe.whenReady(go);
    };
    pipe.whenReady(go);
  }

  resume(controller: Dispatcher.DispatchController, waiter: Waiter): void {
    this.#waiters.delete(waiter);
    if (this.#waiters.size === 0) controller.resume();
  }
}
