import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { anySecretPrefix } from '@agp/core/contracts';
import { ConfigError } from '@agp/runtime';

/** Whether one value of a key went to its provider since that was last noted. */
export interface KeyUse {
  /** The first 8 hex digits of its SHA-256. */
  readonly fingerprint: string;
  isUsed: boolean;
}

/** How many values before the present one are known. */
const formerUses = 8;

/** A provider's key as it is at this moment: another value may come from its file. */
export class ProviderKey {
  /** The variable, or the place in `PROVIDERS_FILE`. */
  readonly source: string;
  /** Null if no file holds it. */
  readonly file: string | null;
  value = '';
  /** False of one by which calls are signed instead. */
  readonly isSent: boolean = true;
  /** When it ends, in milliseconds since 1970. */
  endsAt = Number.POSITIVE_INFINITY;
  use: KeyUse = { fingerprint: '', isUsed: false };
  /** Requests that began before a change go on with the value before. */
  #former: KeyUse[] = [];

  /** @param given null if values come later @throws ConfigError naming the variable and the file, never the key */
  constructor(source: string, given: { file: string } | { value: string } | null) {
    this.source = source;
    this.file = given !== null && 'file' in given ? given.file : null;
    if (this.file !== null) this.readAgain();
    else if (given !== null && 'value' in given) this.take(checkKey(source, given.value.trim()));
  }

  /** @throws ConfigError naming the variable and the file; the value stays then */
  readAgain(): void {
    if (this.file !== null) this.take(readKeyFile(this.source, this.file));
  }

  protected take(value: string): void {
    if (value === this.value) return;
    if (this.value !== '') this.#former = [this.use, ...this.#former].slice(0, formerUses);
    this.value = value;
    this.use = { fingerprint: hash('sha256', value, 'hex').slice(0, 8), isUsed: false };
  }

  /** The use of its value, and those of values before that were used since. */
  listUses(): KeyUse[] {
    return [this.use, ...this.#former.filter(({ isUsed }) => isUsed)];
  }
}

const ownKey = new RegExp(`^${anySecretPrefix}`);

function checkKey(source: string, key: string): string {
  if (!/^[\x21-\x7e]{1,4096}$/.test(key)) {
    throw new ConfigError(`${source}: must hold a key: printable ASCII without spaces, in one line`);
  }
  if (ownKey.test(key)) throw new ConfigError(`${source}: holds a key of this product, not a provider's`);
  return key;
}

function readKeyFile(source: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError(`${source}: cannot read ${file}`);
  }
  return checkKey(`${source}: ${file}`, text);
}

/**
 * From `PROVIDER_<ID>_API_KEY` and the files of `PROVIDER_<ID>_API_KEY_FILE`, which win, by the provider's id in lower case, in which `_`
 * may stand for a dash.
 * @throws ConfigError naming the variable, never its value
 */
export function readProviderKeys(environment: NodeJS.ProcessEnv): Map<string, ProviderKey> {
  const keys = new Map<string, ProviderKey>();
  for (const [variable, value] of Object.entries(environment)) {
    const [, name, inFile] = /^PROVIDER_([A-Z0-9_]+?)_API_KEY(_FILE)?$/.exec(variable) ?? [];
    if (name === undefined || !value) continue;
    const id = name.toLowerCase();
    if (inFile) keys.set(id, new ProviderKey(variable, { file: value }));
    else if (!keys.has(id)) keys.set(id, new ProviderKey(variable, { value }));
  }
  return keys;
}
