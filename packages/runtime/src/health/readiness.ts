import { describeFailure, type Logger } from '../logger.ts';
import { withTimeout } from '../process/keep-trying.ts';

/** Asks one dependency. Rejects, or takes longer than a second, if it does not answer. */
export type Check = () => Promise<unknown>;

const failuresUntilUnready = 3;
const intervalMs = 1_000;

async function findFailure(check: Check): Promise<string | null> {
  try {
    await withTimeout(check(), intervalMs, 'no answer within a second');
    return null;
  } catch (error) {
    return describeFailure(error);
  }
}

interface ReadinessOptions {
  /** The process serves all the same without these, if less: they do not make it unready. */
  dispensable?: readonly string[];
  /** Called if a dependency has failed for long enough to count, if the reason changes, and with null if it is over. */
  onChange?: (dependency: string, failure: string | null) => void;
}

/** Three failures in a row make it unready, one success ready: a slow answer takes out no replica. */
export class Readiness {
  readonly #checks: Record<string, Check>;
  readonly #dispensable: ReadonlySet<string>;
  readonly #onChange: ReadinessOptions['onChange'];
  readonly #failures = new Map<string, number>();
  readonly #reported = new Map<string, string>();
  readonly #timer: NodeJS.Timeout;
  #starting = true;
  #draining = false;

  constructor(checks: Record<string, Check>, options: ReadinessOptions = {}) {
    this.#checks = checks;
    this.#dispensable = new Set(options.dispensable);
    this.#onChange = options.onChange;
    for (const name of Object.keys(checks)) this.#failures.set(name, failuresUntilUnready);
    this.#timer = setInterval(() => void this.look(), intervalMs);
    this.#timer.unref();
  }

  async look(): Promise<void> {
    await Promise.all(
      Object.entries(this.#checks).map(async ([name, check]) => {
        const failure = await findFailure(check);
        this.#failures.set(name, failure === null ? 0 : (this.#failures.get(name) ?? 0) + 1);
        this.#report(name, failure);
      }),
    );
  }

  #report(name: string, failure: string | null): void {
    const reported = this.#reported.get(name) ?? null;
    if (failure === reported || (failure !== null && (this.#failures.get(name) ?? 0) < failuresUntilUnready)) return;
    if (failure === null) this.#reported.delete(name);
    else this.#reported.set(name, failure);
    this.#onChange?.(name, failure);
  }

  serve(): void {
    this.#starting = false;
  }

  drain(): void {
    this.#draining = true;
  }

  get reasons(): string[] {
    const failing = this.#failing.filter((name) => !this.#dispensable.has(name));
    return [...(this.#starting ? ['starting'] : []), ...(this.#draining ? ['draining'] : []), ...failing];
  }

  get without(): string[] {
    return this.#failing.filter((name) => this.#dispensable.has(name));
  }

  get #failing(): string[] {
    return [...this.#failures].filter(([, count]) => count >= failuresUntilUnready).map(([name]) => name);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Logs what keeps a service from serving, or what it serves without, once for each reason, and when it is over. */
export function logReadiness(logger: Logger): NonNullable<ReadinessOptions['onChange']> {
  return (dependency, failure) => {
    if (failure === null) logger.info({ dependency }, 'a dependency answers again');
    else logger.warn({ dependency, error: failure }, 'a dependency does not answer');
  };
}
