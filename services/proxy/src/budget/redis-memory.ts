import { setTimeout as sleep } from 'node:timers/promises';
import type { BudgetReservations, Reserved } from '@agp/reservations';

/** In milliseconds: strict caps wait after a loss until all proxies have seen it and restored what they hold. */
const usualRestoreMs = 5_000;
const lookEveryMs = 1_000;
const retryMs = 500;

interface RedisMemoryOptions {
  shared: BudgetReservations;
  onFailure: (error: Error) => void;
  onEvicting: () => void;
  /** Sends again what this process holds; called until it does not reject. */
  restore: () => Promise<void>;
  /** Shorter in tests alone. */
  restoreWithinMs?: number | undefined;
}

/**
 * Whether Redis still has every reservation: a flush, a promoted replica without the latest, or eviction loses some. Each proxy looks
 * every second, and restores its own.
 */
export class RedisMemory {
  readonly #options: RedisMemoryOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #restoreWithinMs: number;
  #since: number | null = null;
  #mayEvict = false;
  /** On the monotonic clock; infinity until this process has restored its own. */
  #trustedFrom = 0;
  #losses = 0;
  #isKnown = false;
  #looking: Promise<void> | null = null;

  constructor(options: RedisMemoryOptions) {
    this.#options = options;
    this.#restoreWithinMs = options.restoreWithinMs ?? usualRestoreMs;
    this.#timer = setInterval(() => void this.look().catch(options.onFailure), lookEveryMs);
    // Redis may not be connected yet, which is no failure.
    this.look().catch(() => {});
  }

  forget(): void {
    this.#isKnown = false;
    this.#looking = null;
  }

  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async know(): Promise<void> {
    if (!this.#isKnown) await this.look();
  }

  /** Whether no reservation was missing when this one was made, as far as can be known. */
  wasWholeFor({ wholeForMs }: Reserved): boolean {
    return this.isTrusted() && wholeForMs >= this.#restoreWithinMs;
  }

  isTrusted(): boolean {
    return this.#isKnown && !this.#mayEvict && performance.now() >= this.#trustedFrom;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#losses += 1;
  }

  async #look(): Promise<void> {
    const { since, mayEvict } = await this.#options.shared.look();
    const mayHaveEvicted = this.#mayEvict && !mayEvict;
    if (mayEvict) this.#options.onEvicting();
    const isLoss = mayHaveEvicted || (this.#since !== null && this.#since !== since);
    this.#since = since;
    this.#mayEvict = mayEvict;
    this.#isKnown = true;
    if (isLoss) void this.#restore();
  }

  async #restore(): Promise<void> {
    this.#losses += 1;
    const loss = this.#losses;
    const othersDoneAt = performance.now() + this.#restoreWithinMs;
    this.#trustedFrom = Number.POSITIVE_INFINITY;
    while (loss === this.#losses) {
      try {
        await this.#options.restore();
        if (loss === this.#losses) this.#trustedFrom = othersDoneAt;
        return;
      } catch (error) {
        this.#options.onFailure(error as Error);
        await sleep(retryMs, undefined, { ref: false });
      }
    }
  }
}
