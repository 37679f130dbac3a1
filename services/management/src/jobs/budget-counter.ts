import { setTimeout as sleep } from 'node:timers/promises';
import { beginAnew, type Database, listUncounted, type Snapshot, type StoredBudgetRow, takeSnapshot } from '@agp/db';
import { every, type Logger } from '@agp/runtime';

const lookEveryMs = 60_000;
/** A count that takes longer is taken for one whose process is gone. */
const givenUpMs = 900_000;
/** A change waits so long for its count; most take less. */
const patienceMs = 2_000;

/** Sums up what the windows of new and changed budgets hold, without keeping anybody from recording. */
export class BudgetCounter {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #running = new Set<Promise<void>>();
  readonly #stopLooking: () => Promise<void>;

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
    const onFailure = ({ message }: Error) =>
      logger.warn({ error: message }, 'budgets whose count was given up could not be counted; it is tried again');
    this.#stopLooking = every(lookEveryMs, () => this.#resume(), onFailure);
  }

  /** Call it within the transaction that changes the budget. */
  takeSnapshot(): Promise<Snapshot> {
    return takeSnapshot(this.#database.db);
  }

  /** Resolves once it is counted, or after two seconds while the count goes on. Never rejects: another process counts it anew. */
  async count(snapshot: Snapshot, budget: StoredBudgetRow): Promise<void> {
    const counting = snapshot
      .count(this.#database.pool, budget)
      .catch(({ message }: Error) =>
        this.#logger.warn(
          { budget: budget.name, error: message },
          'the budget could not be counted; it is tried again',
        ),
      )
      .finally(() => this.#running.delete(counting));
    this.#running.add(counting);
    await Promise.race([counting, sleep(patienceMs, undefined, { ref: false })]);
  }

  async #resume(): Promise<void> {
    for (const id of await listUncounted(this.#database.db, givenUpMs)) {
      let snapshot: Snapshot | null = null;
      const budget = await this.#database.db.transaction().execute(async (transaction) => {
        const anew = await beginAnew(transaction, id);
        if (anew !== undefined) snapshot = await this.takeSnapshot();
        return anew;
      });
      if (budget !== undefined && snapshot !== null) await this.count(snapshot, budget);
    }
  }

  async stop(): Promise<void> {
    await this.#stopLooking();
    await Promise.all(this.#running);
  }
}
