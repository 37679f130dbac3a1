import type { Dispatcher } from 'undici';

/** Goes on once everybody who paused it is ready. */
export class Flow {
  #pauses = 0;

  pause(controller: Dispatcher.DispatchController): void {
    this.#pauses += 1;
    controller.pause();
  }

  resume(controller: Dispatcher.DispatchController): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) controller.resume();
  }
}
