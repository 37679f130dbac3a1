import { Socket } from 'node:net';

/**
 * A socket that sends everything written in one turn of the event loop together. pg writes a pipelined transaction statement by
 * statement, and those system calls cost the writer more than building the statements (`npm run bench:writer`).
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
