/** Beyond so many, all are forgotten: memory stays below some 20 MB. */
const maxNames = 50_000;

/** Names that already have a row, as far as this process knows: for these the slower statement with the bound is not needed. */
export class CountedNames {
  readonly #names = new Set<string>();

  hasAll(names: readonly string[]): boolean {
    return names.every((name) => this.#names.has(name));
  }

  /** @param names whose rows are committed */
  add(names: readonly string[]): void {
    if (this.#names.size + names.length > maxNames) this.#names.clear();
    for (const name of names) this.#names.add(name);
  }
}
