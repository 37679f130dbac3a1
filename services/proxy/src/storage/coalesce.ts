/**
 * Lets requests that arrive together share one query. A key is only ever put into a query that starts after it
 * came: what a caller gets was read after it asked. Nothing is kept afterwards.
 *
 * @param load one query for all the keys given
 * @param maxRunning queries that may run at once; later keys gather until one of them ends
 * @param maxKeys keys of one query: however many wait, none takes much longer than another
 */
export function coalesce<Key, Value>(
  load: (keys: Key[]) => Promise<Map<Key, Value>>,
  maxRunning = 1,
  maxKeys = 1_000,
): (key: Key) => Promise<Value | undefined> {
  interface Batch {
    keys: Set<Key>;
    result: Promise<Map<Key, Value>>;
    start(): void;
  }
  const gathering: Batch[] = [];
  let running = 0;

  const startNext = () => {
    if (running >= maxRunning) return;
    const batch = gathering.shift();
    if (batch === undefined) return;
    running += 1;
    batch.start();
  };

  const openBatch = (): Batch => {
    const keys = new Set<Key>();
    const started = Promise.withResolvers<void>();
    const result = started.promise.then(async () => {
      try {
        return await load([...keys]);
      } finally {
        running -= 1;
        startNext();
      }
    });
    return { keys, result, start: started.resolve };
  };

  return async (key) => {
    let batch = gathering.at(-1);
    if (batch === undefined || batch.keys.size >= maxKeys) {
      batch = openBatch();
      gathering.push(batch);
      // Not at once: what else this turn of the event loop brings comes along.
      setImmediate(startNext);
    }
    batch.keys.add(key);
    return (await batch.result).get(key);
  };
}
