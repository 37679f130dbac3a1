/** The latest ids that were seen; the oldest are forgotten beyond `max`. */
export class RecentIds {
  readonly #ids = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns false where the id was seen before */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > this.#max && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }
}
