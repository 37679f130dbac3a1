export interface KeepReadingOptions<Reading> {
  /** May reject: it is then read again sooner, and what was shown stays. */
  read(): Promise<Reading>;
  show(reading: Reading): void;
  /** In milliseconds; default a minute. */
  everyMs?: number;
  /** Until it was read once, in milliseconds. */
  firstEveryMs?: number;
}

/** Reads something now and then, for gauges that cost a query. One reading at a time. @returns ends it, after what is under way */
export function keepReading<Reading>(options: KeepReadingOptions<Reading>): () => Promise<void> {
  let stopped = false;
  let wasRead = false;
  let timer: NodeJS.Timeout | undefined;
  const readOnce = async (): Promise<void> => {
    try {
      options.show(await options.read());
      wasRead = true;
    } catch {
      // Whoever needs it sees that the gauge is missing, or does not move.
    }
    if (stopped) return;
    const pauseMs = wasRead ? (options.everyMs ?? 60_000) : (options.firstEveryMs ?? 2_000);
    timer = setTimeout(() => {
      reading = readOnce();
    }, pauseMs);
  };
  let reading = readOnce();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await reading;
  };
}
