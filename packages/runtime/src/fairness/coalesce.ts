interface CoalesceOptions<Ask> {
  keyOf?: (ask: Ask) => unknown;
  /** However many wait, no query takes much longer than another. */
  maxAsks?: number;
}

/**
 * Lets requests that arrive together share one query, which starts after they asked. One query runs at a time: a second one beside it
 * gained nothing. `load` gets each ask once; its map has those very asks as keys.
 */
export function coalesce<Ask, Value>(
  load: (asks: Ask[]) => Promise<Map<Ask, Value>>,
  { keyOf = (ask) => ask, maxAsks = 1_000 }: CoalesceOptions<Ask> = {},
): (ask: Ask) => Promise<Value | undefined> {
  interface Batch {
    asks: Map<unknown, Ask>;
    result: Promise<Map<Ask, Value>>;
    start(): void;
  }
  const gathering: Batch[] = [];
  let isRunning = false;

  const startNext = () => {
    if (isRunning) return;
    const batch = gathering.shift();
    if (batch === undefined) return;
    isRunning = true;
    batch.start();
  };

  const openBatch = (): Batch => {
    const asks = new Map<unknown, Ask>();
    const started = Promise.withResolvers<void>();
    const result = started.promise.then(async () => {
      try {
        return await load([...asks.values()]);
      } finally {
        isRunning = false;
        startNext();
      }
    });
    return { asks, result, start: started.resolve };
  };

  return async (ask) => {
    let batch = gathering.at(-1);
    if (batch === undefined || batch.asks.size >= maxAsks) {
      batch = openBatch();
      gathering.push(batch);
      // After this turn of the event loop, so that the other asks of this turn join it.
      setImmediate(startNext);
    }
    const { asks, result } = batch;
    const key = keyOf(ask);
    const first = asks.get(key) ?? ask;
    asks.set(key, first);
    return (await result).get(first);
  };
}
