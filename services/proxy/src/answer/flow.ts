import type { Dispatcher } from 'undici';

/** The two sides that a provider may have to wait for. */
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

  resume(controller: Dispatcher.DispatchController, waiter: Waiter): void {
    this.#waiters.delete(waiter);
    if (this.#waiters.size === 0) controller.resume();
  }
}
