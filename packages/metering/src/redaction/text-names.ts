import { listWords } from '../words/words.ts';
import type { Holder, Literal } from './holder.ts';

/** Lists whose texts a vendor joins, and what tells that each is one: parts of a message, of a tool's output, of a summary. */
const partLists = new Set(listWords('parts'));
const partTypes = /^(?:|(?:\w*_)?text)$/;

/** Members that repeat a text word by word, or token by token, by the list that they stand in. */
const repeating: Readonly<Record<string, RegExp>> = {
  token: /^(?:content|refusal|chosenCandidates|logprobs)$/,
  word: /^words$/,
};
const alternatives = /^(?:top_logprobs|candidates)$/;

/** Whether its names are tokens, each with its chance. */
export const isOfTokens = ({ parent: list, isFree }: Holder): boolean =>
  !isFree && list?.isArray === true && list.name === 'top_logprobs' && list.parent?.name === 'logprobs';

/** In streams each frame gives the elements of these anew. */
const grownLists = new Set([...partLists, ...listWords('grown')]);
/** Numbers on the way to a text: a first choice or block may be told as 0, or not at all. */
export const dropFirst = (index: string): string => index.replaceAll(/(?<![^,])0,/g, '');
/** An object that opens a text, by what goes on with it. */
const opening = new Map([['content_block', 'delta']]);

/**
 * Names texts by numbers, so that those are found again that go on in other places: in JSON the parts of one text, in a stream what later
 * frames add. Takes time for each object, not for its way.
 */
export class TextNames {
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<Holder, number>();
  readonly #names = new WeakMap<Holder, number>();
  readonly #isStream: boolean;

  constructor(of: 'json' | 'stream' = 'json') {
    this.#isStream = of === 'stream';
  }

  get size(): number {
    return this.#numbers.size;
  }

  /** What a literal is a part of; null if no other goes on with it. */
  ofPart({ key, holder, kind }: Literal): string | null {
    const list = holder.isArray ? holder : holder.parent;
    if (list === null || !list.isArray || holder.isFree) return null;
    const isElement = holder !== list;
    if (kind === 'name') return isOfTokens(holder) ? this.#ofAlternative(list, holder) : null;
    if (kind !== 'string') return null;
    if (!isElement) return list.name === 'tokens' ? `${this.of(list)}/` : null;
    if (key === 'text' && !holder.isThought && partLists.has(list.name) && partTypes.test(holder.type))
      return `${this.of(list)}/text`;
    if (key !== 'token' && key !== 'word') return null;
    const [outer] = alternatives.test(list.name) ? [list.parent?.parent] : [];
    if (outer?.isArray) return `${this.of(outer)}/${list.name}/${holder.name}`;
    return repeating[key]?.test(list.name) ? `${this.of(list)}/${key}` : null;
  }

  /** Names of an object of tokens and their chances: of each of a list the first, the second and so on. */
  #ofAlternative(list: Holder, holder: Holder): string {
    const nth = this.#names.get(holder) ?? 0;
    this.#names.set(holder, nth + 1);
    return `${this.of(list)}/${nth}`;
  }

  /** The number of an object or list: one for one way to it, with the numbers that its objects give. */
  of(holder: Holder): number {
    const open: Holder[] = [];
    let parent = 0;
    for (let at: Holder | null = holder; at !== null; at = at.parent) {
      const known = this.#known.get(at);
      if (known !== undefined) {
        parent = known;
        break;
      }
      open.push(at);
    }
    for (const at of open.reverse()) {
      const name = this.#nameOf(at);
      const way = `${parent}:${dropFirst(at.index)}${at.isThought ? '!' : ''}/${name}`;
      parent = this.#numbers.get(way) ?? this.#numbers.size + 1;
      this.#numbers.set(way, parent);
      this.#known.set(at, parent);
    }
    return parent;
  }

  #nameOf({ name, parent }: Holder): string {
    if (!parent?.isArray) return this.#isStream ? (opening.get(name) ?? name) : name;
    // A body that is a list holds the frames of one answer.
    return parent.parent === null || (this.#isStream && grownLists.has(parent.name)) ? '' : name;
  }
}
