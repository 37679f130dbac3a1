interface Slot<Member> {
  readonly member: Member;
  at: number;
}

/**
 * Members that come and go by the thousand, in no order. A Set would keep those that left alive until the next full collection, since
 * V8 links each table that a Set outgrows to the next one: young collections took twice as long.
 */
export class Bag<Member> implements Iterable<Member> {
  readonly #slots: Slot<Member>[] = [];

  get size(): number {
    return this.#slots.length;
  }

  /** @returns takes the member out; may be called again */
  add(member: Member): () => void {
    const slot = { member, at: this.#slots.length };
    this.#slots.push(slot);
    return () => this.#remove(slot);
  }

  /** The members of now: some may leave meanwhile. */
  [Symbol.iterator](): ArrayIterator<Member> {
    return this.#slots.map(({ member }) => member).values();
  }

  #remove(slot: Slot<Member>): void {
    if (this.#slots[slot.at] !== slot) return;
    const last = this.#slots.pop() as Slot<Member>;
    if (last === slot) return;
    this.#slots[slot.at] = last;
    last.at = slot.at;
  }
}
