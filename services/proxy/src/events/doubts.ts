import type { FoundDoubt } from '@agp/db';
import { waitingDoubts } from '../limits.ts';
import { BatchLog } from './batch-log.ts';

const rowsAtOnce = 100;
/** Tries of one batch, some minutes altogether; the metric has counted its rows. */
const tries = 300;

/** Storage may get the same row twice. No agent fills the log alone. */
export class DoubtLog extends BatchLog<FoundDoubt> {
  #waiting: FoundDoubt[] = [];

  add(doubt: FoundDoubt): void {
    const ofAgent = this.#waiting.filter(({ agentId }) => agentId === doubt.agentId).length;
    if (ofAgent < waitingDoubts.ofAgent && this.#waiting.length < waitingDoubts.all) this.#waiting.push(doubt);
  }

  protected take(): FoundDoubt[] {
    return this.#waiting.splice(0, rowsAtOnce);
  }

  protected putBack(rows: FoundDoubt[], failures: number): void {
    if (failures % tries !== 0) this.#waiting.unshift(...rows);
  }
}
