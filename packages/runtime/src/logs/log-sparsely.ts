/**
 * Keeps a log readable when one thing goes wrong many times: the first call of an interval is passed on, and with it how
 * many were held back since the one before.
 *
 * @param log called with how many calls were held back since the last one that was passed on
 * @param intervalMs at most one call is passed on in this time, in milliseconds
 * @param now the clock, in milliseconds
 */
export function logSparsely<Detail>(
  log: (detail: Detail, heldBack: number) => void,
  intervalMs = 10_000,
  now: () => number = Date.now,
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
