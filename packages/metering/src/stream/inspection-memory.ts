import type { FairShares, Holder } from '@agp/runtime/fairness';

/** The most that one answer holds while it is read, in bytes: a frame, the figures of an earlier one, and the text so far. */
const maxOfAnswer = 24 * 1024 * 1024;

/** Shared by all answers that a process reads at the same time, in bytes. */
export const maxInspected = 512 * 1024 * 1024;

/** The part of a process's memory for reading answers that one answer has. */
export interface MemoryShare {
  /**
   * @param bytes read until now, which is at least what is held of them
   * @returns false if there is no room: the reader must drop what it holds, and keep nothing more of this answer
   */
  hold(bytes: number): boolean;
  release(): void;
}

/** Opens an answer's share: it grows as the answer comes. @param holder whose answer it is */
export function openMemoryShare(shares: FairShares, holder: Holder): MemoryShare {
  let held = 0;
  const release = () => {
    shares.giveBack(holder, held);
    held = 0;
  };
  return {
    hold(bytes) {
      const more = Math.min(bytes, maxOfAnswer) - held;
      if (more <= 0) return true;
      if (shares.take(holder, more) === null) {
        held += more;
        return true;
      }
      release();
      return false;
    },
    release,
  };
}
