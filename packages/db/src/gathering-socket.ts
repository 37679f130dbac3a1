import { Socket } from 'node:net';

/**
 * A socket that sends what is written in one turn of the event loop at once. pg writes a pipelined transaction statement
 * by statement, and the system calls for that cost the writer more than building the statements.
 */
export class GatheringSocket extends Socket {
  #gathering = false;

  override cork(): void {
    if (!this.#gathering) {
      this.#gathering = true;
      super.cork();
      process.nextTick(() => {
        this.#gathering = false;
        this.uncork();
      });
    }
    super.cork();
  }
}
