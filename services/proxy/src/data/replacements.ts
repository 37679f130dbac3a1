import { createHmac } from 'node:crypto';
import { nameKind, type Prepared, writePut } from '@agp/policy';
import type { OpenLabels } from '@agp/reservations';

/** Writes what stands in place of values, as the policies say. */
export class Replacements {
  readonly #labels: OpenLabels | null;
  readonly #key: string | undefined;

  /** @param labels of the session; null if no rule asks for them @param key of hashes */
  constructor(labels: OpenLabels | null, key: string | undefined) {
    this.#labels = labels;
    this.#key = key;
  }

  write({ policy }: Prepared, kind: string, value: string): string {
    const how = policy.pii?.replace_with ?? 'label';
    const number = how === 'label' ? (this.#labels?.numberOf(nameKind(kind), value) ?? null) : null;
    const hash = how === 'hash' && this.#key !== undefined ? hashOf(this.#key, kind, value) : null;
    return writePut(how, kind, value, number, hash);
  }

  /** What a label stands for, such as `[email 1]`; null if it is none of the session. */
  restore(label: string): string | null {
    return this.#labels?.valueOf(label.slice(1, -1)) ?? null;
  }
}

const hashOf = (key: string, kind: string, value: string): string =>
  createHmac('sha256', key)
    .update(`${nameKind(kind)}\n${value}`)
    .digest('hex');
