import { maxText } from './collect-text.ts';
import type { Writing } from './operation.ts';
import { placeMember } from './place-member.ts';
import { visitStrings } from './visit-strings.ts';

/** Words of a protocol, `user`, `chat_completion`: nothing that is looked for is a single word so short. */
const bland = /^[A-Za-z_-]{0,15}$/;

/** The provider's own ids: some are numbers, of which one in thirty adds up as a card's does. */
const idKey = /(?:^id|_id|Id)$/;
const number = /^\d{1,40}$/;

/** What a body holds at its root are the API's own members, whatever a tool would mean by their names. */
function findRoots(body: unknown) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return [{ key: '', value: body, place: 'text' as const }];
  }
  return Object.entries(body).flatMap(([name, value]) => {
    const member = placeMember(body, name, value, 'text');
    const isTool = member.place === 'free' && name !== 'metadata';
    const key = { key: '', value: name, place: 'label' as const };
    return [key, isTool ? { key: name, value, place: 'text' as const } : member];
  });
}

/** Gathers the strings of bodies that stand beside what a model reads or wrote, each once, up to a bound. */
export class BesideText {
  readonly #from: 'request' | 'answer';
  readonly #seen = new Set<string>();
  readonly #texts: string[] = [];
  #left = maxText;

  constructor(from: 'request' | 'answer') {
    this.#from = from;
  }

  /**
   * @param body the JSON, or a frame of it
   * @param read what was read of it already
   */
  add(body: unknown, read: Iterable<string>): void {
    const known = new Set(read);
    visitStrings(findRoots(body), ({ text, key }) => {
      if (bland.test(text) || known.has(text) || this.#seen.has(text)) return true;
      if (this.#from === 'answer' && number.test(text) && idKey.test(key)) return true;
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

  /** What was gathered, but for `read`, which turned out to be the same. */
  read(read: Iterable<string> = []): Writing {
    const known = new Set(read);
    return { parts: this.#texts.filter((text) => !known.has(text)), whole: this.#left >= 0 };
  }
}

/** A body's text with everything that stands beside it. */
export function addBeside(from: 'request' | 'answer', body: unknown, { parts, whole }: Writing): Writing {
  const beside = new BesideText(from);
  beside.add(body, parts);
  const found = beside.read();
  return { parts, beside: found.parts, whole: whole && found.whole };
}
