import type { FairShares, Holder } from '@agp/runtime/fairness';

/** What one answer may hold while it is read: a frame, the figures of an earlier one, and the text until then, in bytes. */
const maxOfAnswer = 24 * 1024 * 1024;

/** Holds of all answers that a process reads at the same time, in bytes. */
export const maxInspected = 512 * 1024 * 1024;

/** The part of a process's memory for reading answers that one answer has. */
export interface MemoryShare {
  /**
   * Tells how many bytes were read until now, which is more than what is held of them.
   *
   * @returns false where there is no room: nothing more of this answer may be kept, and what is held must go
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
