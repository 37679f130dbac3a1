/** Names that are forgotten together, so that memory is bounded: some 20 MB at most. */
const maxNames = 50_000;

/** Names that have a row of their own already, as far as this process knows: what bounds their number need not be asked for these. */
export class CountedNames {
  readonly #names = new Set<string>();

  /** Whether all of them have a row. */
  hasAll(names: readonly string[]): boolean {
    return names.every((name) => this.#names.has(name));
  }

  /** Notes names whose rows are committed. */
  add(names: readonly string[]): void {
    if (this.#names.size + names.length > maxNames) this.#names.clear();
    for (const name of names) this.#names.add(name);
  }
}
