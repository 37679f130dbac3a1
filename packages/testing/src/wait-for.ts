/**
 * Longest that a test waits for anything, in milliseconds: the only limit of all waits, since a machine may be many times slower than
 * ours. What comes later hangs.
 */
export const longestWaitMs = 300_000;

const firstPauseMs = 10;
const longestPauseMs = 200;

/**
 * Waits until `look` gives a value, asking more and more rarely.
 *
 * @param ms a shorter limit, for a story that reports what did not come in time
 * @throws Error naming what it waited for
 */
export async function waitFor<Value>(
  what: string,
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
  ms = longestWaitMs,
): Promise<Value> {
  const deadline = performance.now() + ms;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.3, longestPauseMs)) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`waited ${ms} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Tries until `attempt` no longer throws, more and more rarely, and gives what it gave; after {@link longestWaitMs} it throws the last error. */
export async function eventually<Value>(
  attempt: () => Promise<Value> | Value,
  everyMs = longestPauseMs,
): Promise<Value> {
  const deadline = performance.now() + longestWaitMs;
  for (let pauseMs = Math.min(firstPauseMs, everyMs); ; pauseMs = Math.min(pauseMs * 1.3, everyMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
