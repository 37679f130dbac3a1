import { type BudgetSet, prepareHeld } from '@agp/budgets';
import { ApiError } from '@agp/core/errors';
import type { StoredBudgets } from '@agp/db';

interface BudgetsOptions {
  /** Reads all budgets and their version, after it is called. */
  read(deadline: number): Promise<StoredBudgets>;
  /** Gets an error that names a budget which this version of the proxy cannot read. */
  onUnreadable(error: Error): void;
}

/** The budgets of the installation, read again as soon as a request's own read shows another version. */
export class Budgets {
  readonly #options: BudgetsOptions;
  #held: BudgetSet | null = null;

  constructor(options: BudgetsOptions) {
    this.#options = options;
  }

  /**
   * The budgets at a version that was just read, or at a later one; null if none refuses or warns.
   * @param deadline on the monotonic clock in milliseconds
   * @throws ApiError `status_unavailable` if they cannot be read: what they refuse must not pass
   */
  async at(version: number, deadline: number): Promise<BudgetSet | null> {
    if (this.#held?.version !== version) {
      const stored = await this.#options.read(deadline);
      if (this.#held?.version !== stored.version) this.#held = this.#prepare(stored);
    }
    return this.#held === null || this.#held.budgets.length === 0 ? null : this.#held;
  }

  #prepare({ version, budgets }: StoredBudgets): BudgetSet {
    try {
      return prepareHeld(version, budgets);
    } catch (error) {
      this.#options.onUnreadable(error as Error);
      throw new ApiError('status_unavailable');
    }
  }
}
