/** Whether one dependency answers. Rejects, or takes longer than a second, when it does not. */
export type Check = () => Promise<unknown>;

const failuresUntilUnready = 3;
const intervalMs = 1_000;

async function within(ms: number, check: Check): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([check().then(() => true), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Looks at the dependencies once a second. It takes three failures in a row to become unready and one success to
 * become ready again, so that one slow answer does not take every replica out of service at once.
 */
export class Readiness {
  readonly #checks: Record<string, Check>;
  readonly #failures = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #draining = false;

  constructor(checks: Record<string, Check>) {
    this.#checks = checks;
    for (const name of Object.keys(checks)) this.#failures.set(name, failuresUntilUnready);
    this.#timer = setInterval(() => void this.look(), intervalMs);
    this.#timer.unref();
  }

  /** Runs every check once. */
  async look(): Promise<void> {
    await Promise.all(
      Object.entries(this.#checks).map(async ([name, check]) => {
        const passed = await within(intervalMs, check);
        this.#failures.set(name, passed ? 0 : (this.#failures.get(name) ?? 0) + 1);
      }),
    );
  }

  /** From now on unready: the process is going away. */
  drain(): void {
    this.#draining = true;
  }

  /** What keeps the process from serving; empty when it is ready. */
  get reasons(): string[] {
    const failing = [...this.#failures].filter(([, count]) => count >= failuresUntilUnready).map(([name]) => name);
    return this.#draining ? ['draining', ...failing] : failing;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
