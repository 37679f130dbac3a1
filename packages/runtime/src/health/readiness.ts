import { describeFailure } from '../logs/describe-failure.ts';
import type { Logger } from '../logs/logger.ts';

/** Whether one dependency answers. Rejects, or takes longer than a second, when it does not. */
export type Check = () => Promise<unknown>;

const failuresUntilUnready = 3;
const intervalMs = 1_000;

/** @returns why it failed, or null */
async function findFailure(check: Check): Promise<string | null> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(late.resolve, intervalMs, 'no answer within a second');
  try {
    return await Promise.race([check().then(() => null), late.promise]);
  } catch (error) {
    return describeFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

export interface ReadinessOptions {
  /**
   * Told when a dependency begins to keep the process from serving, and when the reason is another one; with null when it no
   * longer does.
   */
  onChange?: (dependency: string, failure: string | null) => void;
}

/**
 * Looks at the dependencies once a second. It takes three failures in a row to become unready and one success to
 * become ready again, so that one slow answer does not take every replica out of service at once.
 */
export class Readiness {
  readonly #checks: Record<string, Check>;
  readonly #onChange: ReadinessOptions['onChange'];
  readonly #failures = new Map<string, number>();
  /** Why dependencies fail, where that was told. */
  readonly #told = new Map<string, string>();
  readonly #timer: NodeJS.Timeout;
  #starting = true;
  #draining = false;

  constructor(checks: Record<string, Check>, options: ReadinessOptions = {}) {
    this.#checks = checks;
    this.#onChange = options.onChange;
    for (const name of Object.keys(checks)) this.#failures.set(name, failuresUntilUnready);
    this.#timer = setInterval(() => void this.look(), intervalMs);
    this.#timer.unref();
  }

  /** Runs every check once. */
  async look(): Promise<void> {
    await Promise.all(
      Object.entries(this.#checks).map(async ([name, check]) => {
        const failure = await findFailure(check);
        this.#failures.set(name, failure === null ? 0 : (this.#failures.get(name) ?? 0) + 1);
        this.#tell(name, failure);
      }),
    );
  }

  #tell(name: string, failure: string | null): void {
    const told = this.#told.get(name) ?? null;
    if (failure === told || (failure !== null && (this.#failures.get(name) ?? 0) < failuresUntilUnready)) return;
    if (failure === null) this.#told.delete(name);
    else this.#told.set(name, failure);
    this.#onChange?.(name, failure);
  }

  /** From now on ready, as far as its dependencies are: until now the process was starting. */
  serve(): void {
    this.#starting = false;
  }

  /** From now on unready: the process is going away. */
  drain(): void {
    this.#draining = true;
  }

  /** What keeps the process from serving; empty when it is ready. */
  get reasons(): string[] {
    const failing = [...this.#failures].filter(([, count]) => count >= failuresUntilUnready).map(([name]) => name);
    return [...(this.#starting ? ['starting'] : []), ...(this.#draining ? ['draining'] : []), ...failing];
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Says in the log what keeps a service from serving, once for each reason, and when that is over. */
export function logReadiness(logger: Logger): NonNullable<ReadinessOptions['onChange']> {
  return (dependency, failure) => {
    if (failure === null) logger.info({ dependency }, 'no longer in the way of readiness');
    else logger.warn({ dependency, error: failure }, 'not ready');
  };
}
