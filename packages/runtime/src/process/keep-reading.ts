export interface KeepReadingOptions<Reading> {
  /** May reject: the last reading then stays. */
  read(): Promise<Reading>;
  show(reading: Reading): void;
  /** In milliseconds; default a minute. */
  everyMs?: number;
  /** The pause until the first success, in milliseconds. */
  firstEveryMs?: number;
}

/** Reads a value periodically, for gauges that cost a query. One reading at a time. @returns ends it, after a running one */
export function keepReading<Reading>(options: KeepReadingOptions<Reading>): () => Promise<void> {
  let stopped = false;
  let wasRead = false;
  let timer: NodeJS.Timeout | undefined;
  const readOnce = async (): Promise<void> => {
    try {
      options.show(await options.read());
      wasRead = true;
    } catch {
      // The gauge is missing or does not move, which an alert sees.
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
