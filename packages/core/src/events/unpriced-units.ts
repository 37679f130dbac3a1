/** As events hold it, in UTF-16 units. */
export const maxPriceVersion = 128;

const mark = ', without ';

/** Says what a cost leaves out: units that were counted and have no price, as many as there is room for. */
export function markUnpriced(priceVersion: string | null, units: Iterable<string>): string | null {
  if (priceVersion === null) return null;
  let marked = priceVersion;
  for (const unit of units) {
    const more = marked + (marked === priceVersion ? mark : '+') + unit;
    if (more.length <= maxPriceVersion) marked = more;
  }
  return marked;
}

/** The units that {@link markUnpriced} noted. */
export function readUnpricedUnits(priceVersion: string | null): string[] {
  const at = priceVersion?.lastIndexOf(mark) ?? -1;
  const units = at < 0 ? [] : (priceVersion?.slice(at + mark.length).split('+') ?? []);
  return units.filter((unit) => /^[a-z0-9_]{1,64}$/.test(unit));
}

/** A unit of a model in lists of what has no price. */
export const nameUnpriced = (model: string, unit: string): string => `${model} without ${unit}`;

/** A model of such a list; `unit` is null if it has no price at all. */
export function readUnpriced(name: string): { model: string; unit: string | null } {
  const [, model = name, unit = null] = /^(.*) without ([a-z0-9_]{1,64})$/s.exec(name) ?? [];
  return { model, unit };
}
