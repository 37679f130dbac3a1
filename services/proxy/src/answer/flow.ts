import type { Dispatcher } from 'undici';

/** Who may keep a provider waiting. */
type Waiter = 'agent' | 'reader';

/** Goes on once everybody who paused it is ready. What was on its way when it was paused still comes. */
export class Flow {
  readonly #waiters = new Set<Waiter>();

  /** @returns false where it was paused for the same already */
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
