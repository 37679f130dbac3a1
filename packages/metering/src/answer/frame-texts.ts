import type { TextSearch } from '@agp/pii';
import type { Holder, Literal } from '../redaction/holder.ts';
import { TextChannel } from '../redaction/text-channel.ts';
import { dropFirst, isOfTokens, TextNames } from '../redaction/text-names.ts';
import { listWords, matchWords } from '../words/words.ts';

/** Members of frames that go on with a text, in all dialects. */
const continued = new Set(listWords('continued'));
/** Some servers give all of a text in each frame, as far as it is written. */
const growing = new Set(['message']);
/** Frames that tell of an answer as a whole: no other goes on with their texts. */
const wholeType = matchWords('wholeFrames');

/** Answers have a handful of texts side by side. */
const maxChannels = 1_000;
const maxNames = 20_000;
/** A longer one, in UTF-16 units, is not kept for comparison. */
const longestLast = 4_096;

const tooMany = 'a stream of very many texts';

interface Channel {
  channel: TextChannel;
  /** Its numbers of choices, blocks and items. */
  scope: string;
  /** The type of its frames. */
  type: string;
  /** What came last, if no table knows it; empty if it was long. */
  last: string;
  /** It was another before. */
  varies: boolean;
}

/** What a string of a frame goes on with, or null; `isWhole` if it may be a text of its own too. */
export interface Opened {
  channel: TextChannel | null;
  isWhole: boolean;
}

/**
 * The texts of a stream, each with what frames add to it. A member that tables know goes on with its text; any other string may do so or
 * be a text of its own, so it is both, and waits for the next frame of its type at most.
 */
export class FrameTexts {
  readonly #search: TextSearch;
  readonly #onUnread: (what: string) => void;
  readonly #names = new TextNames('stream');
  readonly #channels = new Map<string, Channel>();
  /** Those that no table knows, and that wait. */
  readonly #unknown = new Map<string, Channel>();
  /** Names of unknown ones in the frame that is read. */
  readonly #touched = new Set<string>();
  /** Of a list of parts, what came last: a thought or an answer. */
  readonly #spoken = new Map<number, Channel>();

  constructor(search: TextSearch, onUnread: (what: string) => void) {
    this.#search = search;
    this.#onUnread = onUnread;
  }

  /** What tells the texts of a stream apart: the type of the frame, and their way in it. */
  name(literal: Literal, root: Holder | null): string {
    const { key, holder } = literal;
    const type = root?.type ?? '';
    if (literal.kind === 'name') return `${type} ${this.#names.ofPart(literal)}`;
    if (holder.name === 'part' && holder.parent === root && root !== null && type.endsWith('part.added')) {
      const text = holder.type === 'summary_text' ? 'reasoning_summary_text' : holder.type;
      return `response.${text} ${this.#names.of(root)}/delta`;
    }
    return `${type.replace(/[._](?:delta|start)$/, '')} ${this.#names.of(holder)}/${key}`;
  }

  isContinued({ key, kind, holder }: Literal): boolean {
    if (kind === 'name') return isOfTokens(holder);
    return kind === 'string' && continued.has(key) && !holder.isFree && !growing.has(holder.name);
  }

  open(literal: Literal, value: string, root: Holder | null): Opened {
    const { kind, key, holder } = literal;
    if (holder.isFree || kind === 'number' || (kind === 'name' && !isOfTokens(holder)))
      return { channel: null, isWhole: true };
    if (this.#names.size >= maxNames) {
      this.#onUnread(tooMany);
      return { channel: null, isWhole: true };
    }
    if (this.isContinued(literal)) {
      const found = this.#find(literal, root);
      if (found === null) return { channel: null, isWhole: true };
      if (key === 'text') this.#speak(holder, found);
      return { channel: found.channel, isWhole: false };
    }
    return {
      channel: wholeType.test(root?.type ?? '') ? null : this.#openUnknown(literal, value, root),
      isWhole: true,
    };
  }

  /** @param root of a frame that was read; null if it was no JSON */
  endFrame(root: Holder | null): void {
    // Nothing waits for what the next frame of its type does not go on with.
    for (const [name, { channel, type }] of this.#unknown) {
      if (this.#touched.has(name) || (root !== null && type !== root.type)) continue;
      channel.end();
      this.#unknown.delete(name);
    }
    this.#touched.clear();
  }

  /** @param scope of those that end; empty for all */
  end(scope: string): void {
    for (const { channel, scope: own } of this.#channels.values()) if (own.startsWith(scope)) channel.end();
  }

  /** What says all of the last again, and what is the same in each frame, goes on with nothing. */
  #openUnknown(literal: Literal, value: string, root: Holder | null): TextChannel | null {
    const name = this.name(literal, root);
    const known = this.#channels.get(name);
    const isGrown = growing.has(literal.holder.name) && value.startsWith(known?.last ?? value);
    if (known !== undefined && (isGrown || (known.last === value && !known.varies && !/\d/.test(value)))) {
      if (this.#unknown.delete(name)) known.channel.end();
      known.last = toLast(value);
      return null;
    }
    const found = this.#find(literal, root);
    if (found === null) return null;
    found.varies ||= known !== undefined && found.last !== value;
    found.last = toLast(value);
    this.#unknown.set(name, found);
    this.#touched.add(name);
    return found.channel;
  }

  /** A thought ends as its answer begins, and the other way round; other choices go on. */
  #speak({ parent }: Holder, channel: Channel): void {
    if (!parent?.isArray) return;
    const list = this.#names.of(parent);
    const last = this.#spoken.get(list);
    if (last !== undefined && last !== channel && dropFirst(last.scope) === dropFirst(channel.scope))
      last.channel.end();
    this.#spoken.set(list, channel);
  }

  /** Null beyond the bound. */
  #find(literal: Literal, root: Holder | null): Channel | null {
    const name = this.name(literal, root);
    const known = this.#channels.get(name);
    if (known) return known;
    if (this.#channels.size >= maxChannels) {
      this.#onUnread(tooMany);
      return null;
    }
    const channel = new TextChannel(this.#search);
    const made = { channel, scope: scopeOf(literal.holder), type: root?.type ?? '', last: '', varies: false };
    this.#channels.set(name, made);
    return made;
  }
}

const toLast = (value: string): string => (value.length > longestLast ? '' : value);

export function scopeOf(holder: Holder): string {
  let scope = '';
  for (let at: Holder | null = holder; at !== null; at = at.parent) scope = at.index + scope;
  return scope;
}
