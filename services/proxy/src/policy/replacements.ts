import { createHmac } from 'node:crypto';
import { labelLengths, spellSigns, writeLabel } from '@agp/pii/label';
import { type DataDecision, nameKind, type Put, writePut } from '@agp/policy';

/** Writes what stands in place of the values of one call, and knows what may be put back. */
export class Replacements {
  readonly #agentId: string;
  readonly #key: string | undefined;
  /** What each label stands for here. */
  readonly #values: Map<string, string>;
  readonly #labels = new Map<string, string>();
  readonly #restored: Map<string, string>;
  readonly #fresh = new Map<string, string>();

  /**
   * @param agentId a UUID, whose labels these are @param key of labels and hashes
   * @param known values of the named session, by label
   */
  constructor(agentId: string, key: string | undefined, known: ReadonlyMap<string, string> = new Map()) {
    this.#agentId = agentId;
    this.#key = key;
    this.#values = new Map(known);
    this.#restored = new Map(known);
  }

  write(put: Put, kind: string, value: string): string {
    if (put === 'label') return this.#label(nameKind(kind), value);
    return writePut(
      put,
      kind,
      value,
      put === 'hash' && this.#key !== undefined ? hashOf(this.#key, kind, value) : null,
    );
  }

  /** The same for a value that the call itself brought, which may be put back if its rules say so. */
  writeOwn({ put, restores }: DataDecision, kind: string, value: string): string {
    const written = this.write(put, kind, value);
    if (put === 'label' && restores && this.#values.get(written) === value && !this.#restored.has(written)) {
      this.#restored.set(written, value);
      this.#fresh.set(written, value);
    }
    return written;
  }

  /** What a label stands for, if the call or its session brought that; else null. */
  restore(label: string): string | null {
    return this.#restored.get(label) ?? null;
  }

  /** What may be put back, and its session does not know yet, by label. */
  get fresh(): ReadonlyMap<string, string> {
    return this.#fresh;
  }

  /** The same for the same value of an agent, whenever and wherever it is written. */
  #label(kind: string, value: string): string {
    const name = `${kind}\n${value}`;
    const known = this.#labels.get(name);
    if (known !== undefined) return known;
    const digest = createHmac('sha256', `${this.#key ?? ''}\n${this.#agentId}`)
      .update(`${kind}\n`)
      // Halves of characters stay apart.
      .update(value, 'utf16le')
      .digest();
    const labels = labelLengths.map((length) => writeLabel(kind, spellSigns(digest, length)));
    const label = labels.find((each) => (this.#values.get(each) ?? value) === value);
    if (label !== undefined) this.#values.set(label, value);
    const written = label ?? writeLabel(kind, null);
    this.#labels.set(name, written);
    return written;
  }
}

const hashOf = (key: string, kind: string, value: string): string =>
  createHmac('sha256', key)
    .update(`${nameKind(kind)}\n${value}`)
    .digest('hex')
    .slice(0, 12);
