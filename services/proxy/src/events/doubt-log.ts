import type { FoundDoubt } from '@agp/db';
import { BatchLog } from './batch-log.ts';

/** The most rows that wait, of one agent and of all. */
const maxOfAgent = 200;
const maxWaiting = 2_000;
/** Rows of one statement. */
const maxAtOnce = 100;
/** Tries of one batch, some minutes altogether; the metric has counted its rows. */
const maxTries = 300;

/** Calls with doubtful figures on their way to storage, which may get the same row twice. No agent fills the log alone. */
export class DoubtLog extends BatchLog<FoundDoubt> {
  #waiting: FoundDoubt[] = [];

  /** Drops the row if there is no room. */
  add(doubt: FoundDoubt): void {
    const ofAgent = this.#waiting.filter(({ agentId }) => agentId === doubt.agentId).length;
    if (ofAgent < maxOfAgent && this.#waiting.length < maxWaiting) this.#waiting.push(doubt);
  }

  protected take(): FoundDoubt[] {
    return this.#waiting.splice(0, maxAtOnce);
  }

  protected putBack(rows: FoundDoubt[], failures: number): void {
    if (failures % maxTries !== 0) this.#waiting.unshift(...rows);
  }
}
