const dayMs = 86_400_000;

/**
 * The first UTC day of a span that ends with today: `7d` are today and the six days before it, so that bars are whole days and as many
 * as the span says.
 *
 * @param span as it stands in the address; one that is not in days is returned as it is
 * @param now milliseconds
 */
export function findFirstDay(span: string, now = Date.now()): string {
  const [, days] = /^(\d+)d$/.exec(span) ?? [];
  return days === undefined ? span : new Date(now - (Number(days) - 1) * dayMs).toISOString().slice(0, 10);
}
