/**
 * Keeps the log readable when one thing goes wrong many times: only the first call of an interval is logged, with the number of calls
 * held back since the one before.
 *
 * @param log gets the number of calls held back since the last logged one
 * @param intervalMs at most one call is logged in this time
 */
export function logSparsely<Detail>(
  log: (detail: Detail, heldBack: number) => void,
  intervalMs = 10_000,
  now: () => number = () => performance.now(),
): (detail: Detail) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let heldBack = 0;
  return (detail) => {
    if (now() - lastAt < intervalMs) {
      heldBack += 1;
      return;
    }
    lastAt = now();
    log(detail, heldBack);
    heldBack = 0;
  };
}
