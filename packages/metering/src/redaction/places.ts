/** A finding in a text or body, as UTF-16 offsets of what is written there, escapes included. */
export interface Place {
  start: number;
  end: number;
  kind: string;
  /** Without escapes. */
  value: string;
  /** How often what stands in its place is escaped: JSON stands in strings of JSON. */
  depth: number;
  /** It stands outside of a string. */
  isBare: boolean;
  /** A finding goes on here that began in a part before: nothing stands in its place. */
  isRest: boolean;
  /** What stands in its place, once that is decided, for all of its parts; null if it stays. */
  decided: {
    instead?: string | null;
    /** Kinds of findings that share some of its text. */
    beside?: string[];
  };
  /** A check outside decided it. */
  isPut?: true;
  /** It stands in what its provider signed. */
  isSigned?: true;
  /** Another finding that this is a part of too. */
  within?: Place;
}

/** In order and apart; what two findings share is a place of both. */
export function clip(places: Place[]): Place[] {
  places.sort((a, b) => a.start - b.start || b.end - a.end);
  const apart: Place[] = [];
  for (const place of places) {
    const last = apart.at(-1);
    if (last === undefined || place.start >= last.end) {
      apart.push(place);
      continue;
    }
    const [start, end] = [Math.max(place.start, last.start), Math.min(place.end, last.end)];
    if (start >= end) continue;
    meet(last, place);
    apart.pop();
    if (last.start < start) apart.push({ ...last, end: start });
    const { within, ...shared } = last.start < start ? toRest(last) : last;
    apart.push({ ...shared, start, end, within: { ...place, ...(within && { within }) } });
    const longer = place.end > end ? place : last;
    if (longer.end > end) apart.push({ ...toRest(longer), start: end });
  }
  return apart;
}

/** Each knows that the other shares its text. */
function meet(first: Place, second: Place): void {
  for (let at: Place | undefined = first; at !== undefined; at = at.within) {
    if (at.kind === second.kind) continue;
    for (const [one, { kind }] of [[at, second] as const, [second, at] as const]) {
      one.decided.beside ??= [];
      if (!one.decided.beside.includes(kind)) one.decided.beside.push(kind);
    }
  }
}

const toRest = ({ within, ...place }: Place): Place => ({
  ...place,
  isRest: true,
  ...(within && { within: toRest(within) }),
});

/** Each finding, those too that share their place with another. */
export function* listFindings(places: readonly Place[]): Generator<Place> {
  for (const place of places)
    for (let at: Place | undefined = place; at !== undefined; at = at.within) if (!at.isRest) yield at;
}
