import type { PiiFinding } from '@agp/core/events';
import type { PiiType } from '@agp/pii';

/** As many as an event lists. The worker would load all of the events' schemas for their constant. */
export const maxPlaces = 100;

/** Gathers where types of PII were found, each place once, in bounded memory. */
export class FoundPlaces {
  /** Places of one type on one side, by both. */
  readonly #groups = new Map<string, PiiFinding[]>();
  readonly #known = new Set<string>();
  readonly #types = new Set<PiiType>();

  /** @param messages none if the text belongs to no message */
  add(side: PiiFinding['in'], messages: readonly number[], type: PiiType): void {
    this.#types.add(type);
    const group = this.#groups.get(`${side} ${type}`) ?? [];
    this.#groups.set(`${side} ${type}`, group);
    for (const message of messages.length > 0 ? messages : [null]) {
      if (group.length >= maxPlaces) return;
      const place = `${side} ${type} ${message}`;
      if (this.#known.has(place)) continue;
      this.#known.add(place);
      group.push({ in: side, message, type });
    }
  }

  /** In the order of their names. */
  types(): PiiType[] {
    return [...this.#types].sort();
  }

  /** At most `maxPlaces`. Each type has its turn, so that no pile of one hides where another is. */
  list(): PiiFinding[] {
    const groups = [...this.#groups.values()];
    const listed: PiiFinding[] = [];
    for (let turn = 0; turn < maxPlaces; turn++) {
      for (const group of groups) {
        const place = group[turn];
        if (place && listed.length < maxPlaces) listed.push(place);
      }
    }
    return listed.sort(
      (a, b) => compare(a.in, b.in) || (a.message ?? -1) - (b.message ?? -1) || compare(a.type, b.type),
    );
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
