import { setTimeout as sleep } from 'node:timers/promises';
import {
  activateBudget,
  beginAnew,
  type Database,
  type DocumentRow,
  listUncounted,
  openSnapshot,
  type Snapshot,
} from '@agp/db';
import { every, type Logger } from '@agp/runtime';

const lookEveryMs = 5_000;
/** A change waits so long for its count; most take less. */
const patienceMs = 2_000;

/** Sums up what the windows of new and changed budgets hold, one after the other, without keeping anybody from recording. */
export class BudgetCounter {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #stopLooking: () => Promise<void>;
  /** The one that counts, or is about to. */
  #snapshot: Snapshot | null = null;
  #isOpening = false;

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
    const onFailure = ({ message }: Error) =>
      logger.warn({ error: message }, 'budgets that wait could not be counted; it is tried again');
    this.#stopLooking = every(lookEveryMs, () => this.#countWaiting(), onFailure);
  }

  /** Call it before the transaction that changes a budget. Null while another is counted: then this one is counted after it. */
  async open(): Promise<Snapshot | null> {
    if (this.#snapshot !== null || this.#isOpening) return null;
    this.#isOpening = true;
    try {
      this.#snapshot = await openSnapshot(this.#database.db);
      return this.#snapshot;
    } finally {
      this.#isOpening = false;
    }
  }

  /** Ends a snapshot that is not counted, or no longer; one that has ended is left alone. */
  async close(snapshot: Snapshot | null): Promise<void> {
    if (snapshot === null || snapshot !== this.#snapshot) return;
    this.#snapshot = null;
    await snapshot.end().catch(() => {});
  }

  /** Resolves once it is counted, or after two seconds while the count goes on. Never rejects: it is tried again. */
  async count(snapshot: Snapshot, budget: DocumentRow<'budget'>): Promise<void> {
    const counting = this.#count(snapshot, budget).catch(({ message }: Error) =>
      this.#logger.warn({ budget: budget.name, error: message }, 'the budget could not be counted; it is tried again'),
    );
    await Promise.race([counting, sleep(patienceMs, undefined, { ref: false })]);
  }

  async #count(snapshot: Snapshot, budget: DocumentRow<'budget'>): Promise<void> {
    try {
      const spend = await snapshot.count(budget);
      await activateBudget(this.#database.pool, budget, [...spend.values()]);
    } finally {
      await this.close(snapshot);
    }
  }

  async #countWaiting(): Promise<void> {
    for (const id of await listUncounted(this.#database.db)) {
      const snapshot = await this.open();
      if (snapshot === null) return;
      try {
        const budget = await this.#database.db.transaction().execute(async (transaction) => {
          const anew = await beginAnew(transaction, id);
          if (anew !== undefined) await snapshot.take(id);
          return anew;
        });
        if (budget !== undefined) await this.#count(snapshot, budget);
      } finally {
        await this.close(snapshot);
      }
    }
  }

  /** Gives up what is being counted: another process counts it anew. */
  async stop(): Promise<void> {
    await this.close(this.#snapshot);
    await this.#stopLooking();
  }
}
