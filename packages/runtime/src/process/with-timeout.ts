/** Work that was waited for took too long. */
export class TimeoutError extends Error {}

/** Rejects with {@link TimeoutError} after so many milliseconds; the work goes on, but nobody waits for it. */
export async function withTimeout<Value>(work: Promise<Value>, ms: number, message = 'too late'): Promise<Value> {
  const late = Promise.withResolvers<never>();
  // One turn later, so that an answer which arrived while this process stalled still counts.
  const timer = setTimeout(() => setImmediate(() => late.reject(new TimeoutError(message))), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
