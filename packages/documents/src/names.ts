/** Without its case. Of other characters the Kelvin sign alone would become a plain letter. */
export const fold = (name: string) =>
  name.includes('\u212a') ? name.replace(/[^\u212a]+/g, (part) => part.toLowerCase()) : name.toLowerCase();

/** Where the first of sorted texts stands that is not before another. */
export function findFrom(sorted: readonly string[], text: string): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] as string) < text) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Sorted texts; none begins another. Only the last that is not after a name may begin it. */
class Beginnings {
  readonly #texts: string[] = [];

  constructor(texts: readonly string[]) {
    for (const text of texts.toSorted((one, other) => (one < other ? -1 : 1)))
      if (this.#texts.length === 0 || !text.startsWith(this.#texts.at(-1) as string)) this.#texts.push(text);
  }

  begin(name: string): boolean {
    const at = findFrom(this.#texts, name);
    return this.#texts[at] === name || (at > 0 && name.startsWith(this.#texts[at - 1] as string));
  }
}

const reverse = (text: string) => text.split('').reverse().join('');

/** Whether a list needs more than a look-up for a pattern: it holds `*` elsewhere than at its beginning or its end alone. */
export const isCostly = (pattern: string) => /.\*./s.test(pattern) || /^\*.*\*$/s.test(pattern);

/** The names that a list of patterns stands for, so that a look-up costs the same however many there are, but for costly ones. */
class NameList {
  readonly #whole: ReadonlySet<string>;
  readonly #beginnings: Beginnings;
  readonly #ends: Beginnings | null;
  readonly #costly: readonly string[][];

  constructor(patterns: readonly string[]) {
    const folded = [...patterns].map(fold);
    const [costly, plain] = [folded.filter(isCostly), folded.filter((pattern) => !isCostly(pattern))];
    const ends = plain.filter((pattern) => pattern.startsWith('*') && pattern !== '*');
    this.#whole = new Set(plain.filter((pattern) => !pattern.includes('*')));
    this.#beginnings = new Beginnings(plain.filter((each) => each.endsWith('*')).map((each) => each.slice(0, -1)));
    this.#ends = ends.length === 0 ? null : new Beginnings(ends.map((each) => reverse(each.slice(1))));
    this.#costly = costly.map((pattern) => pattern.split('*'));
  }

  has(name: string): boolean {
    const given = fold(name);
    return (
      this.#whole.has(given) ||
      this.#beginnings.begin(given) ||
      this.#ends?.begin(reverse(given)) === true ||
      this.#costly.some((parts) => holdsInOrder(given, parts))
    );
  }
}

/** Whether a text begins with the first part, ends with the last, and holds the others in between, in order. */
function holdsInOrder(text: string, parts: readonly string[]): boolean {
  const [first, last] = [parts[0] as string, parts.at(-1) as string];
  const end = text.length - last.length;
  let at = first.length;
  if (at > end || !text.startsWith(first) || !text.endsWith(last)) return false;
  for (let index = 1; index < parts.length - 1; index += 1) {
    const part = parts[index] as string;
    const found = text.indexOf(part, at);
    at = found + part.length;
    if (found < 0 || at > end) return false;
  }
  return true;
}

const ready = new WeakMap<readonly string[], NameList>();

/** Makes all lists within a value ready. */
export function prepareLists(value: unknown): void {
  if (Array.isArray(value) && typeof value[0] === 'string') ready.set(value, new NameList(value));
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) prepareLists(each);
}

/** Whether a name is one of a list's patterns, in any case; a list is made ready once, and must not change. */
export function isListed(patterns: readonly string[], name: string): boolean {
  const list = ready.get(patterns) ?? new NameList(patterns);
  ready.set(patterns, list);
  return list.has(name);
}

/** Whether a name is one of a list's patterns, in just their case; a missing list has all names. */
export const isSpelled = (patterns: readonly string[] | undefined, name: string): boolean =>
  patterns?.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each)) !== false;
