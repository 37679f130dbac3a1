import { maxText, visitBody } from './strings.ts';
import type { Writing } from './writing.ts';

/** Words of a protocol, `user`, `chat_completion`: no PII is a single word this short. */
const bland = /^[A-Za-z_-]{0,15}$/;

/** The provider's own ids: some are numbers, and one in thirty passes the checksum of a card by chance. */
const idKey = /(?:^id|_id|Id)$/;
const number = /^\d{1,40}$/;

/** Padding that providers add to hide the length of a message. */
const padding = /^[A-Za-z\d]{0,64}$/;

export function isProviders(key: string, text: string): boolean {
  return (number.test(text) && idKey.test(key)) || (key === 'obfuscation' && padding.test(text));
}

export class BesideText {
  readonly #from: 'request' | 'answer';
  readonly #seen = new Set<string>();
  readonly #texts: string[] = [];
  #left = maxText;

  constructor(from: 'request' | 'answer') {
    this.#from = from;
  }

  add(body: unknown, read: readonly string[]): void {
    // A frame has one text or two: a set would cost more than it saves.
    const known = read.length > 4 ? new Set(read) : null;
    visitBody(body, (text, _isRead, key) => {
      if (this.#seen.has(text) || (text.length < 16 && bland.test(text))) return true;
      if (known ? known.has(text) : read.includes(text)) return true;
      if (this.#from === 'answer' && isProviders(key, text)) return true;
      if (this.#left <= 0) {
        this.#left = -1;
        return false;
      }
      this.#seen.add(text);
      this.#texts.push(text.slice(0, this.#left));
      this.#left -= text.length;
      return this.#left >= 0;
    });
  }

  read(read: readonly string[] = []): Writing {
    if (read.length === 0) return { parts: this.#texts, whole: this.#left >= 0 };
    const known = new Set(read);
    return { parts: this.#texts.filter((text) => !known.has(text)), whole: this.#left >= 0 };
  }
}

/** A body's text, and in `beside` every other string of it. */
export function addBeside(from: 'request' | 'answer', body: unknown, { parts, whole }: Writing): Writing {
  const beside = new BesideText(from);
  beside.add(body, parts);
  const found = beside.read();
  return { parts, beside: found.parts, whole: whole && found.whole };
}
