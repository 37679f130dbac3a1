import { listWords } from '../words/words.ts';
import type { Holder, Literal } from './holder.ts';

/*
 * What providers sign or encrypt and want back as they wrote it. A change of it makes them refuse the conversation for good.
 *
 *   Anthropic    thinking, redacted_thinking; searches, code and compaction have encrypted members
 *   OpenAI       encrypted_content of reasoning and compaction
 *   Gemini       thoughtSignature of a part; its OpenAI path has it in extra_content.google
 *   OpenRouter   reasoning_details: reasoning.text with a signature, reasoning.encrypted
 */

const signatures = new Set(listWords('signatures'));

/** A member that signs what stands beside it. */
export const isSignature = (key: string): boolean => signatures.has(key);

/** The object that a signature found here is of. */
export function findSigned(holder: Holder): Holder {
  const around = holder.name === 'google' ? holder.parent : null;
  return (around?.name === 'extra_content' && around.parent) || holder;
}

const sealed = new Set(listWords('sealed'));
const sealedTypes = new Set(listWords('sealedTypes'));

/** Base64 in one of its alphabets, and what stands between its parts. */
const isCipher = (value: string): boolean => /^[\w+/=.:~-]*$/.test(value);

/** Whether it stands where a provider keeps what it alone can read. */
export const isSealed = ({ key, holder }: Literal): boolean =>
  !holder.isFree && (sealed.has(key) || (key === 'data' && sealedTypes.has(holder.type)));

/** Whether it is unreadable to all but the provider that wrote it. */
export const isOpaque = (literal: Literal, value: string): boolean => isSealed(literal) && isCipher(value);

const thoughts = new Set(listWords('thoughts'));
const signable = new Set(listWords('signable'));
const ranCode = new Set(listWords('ranCode'));

/** Whether it is a thought, or code that a provider runs: their labels stay, since a signature may come after them in a stream. */
export const isThought = ({ type, name, isThought: isTold, isFree }: Holder): boolean =>
  !isFree && (isTold || thoughts.has(type) || signable.has(type) || ranCode.has(name));

/** Of the nearest object that has one. */
function roleOf(holder: Holder): string {
  for (let at: Holder | null = holder; at !== null; at = at.parent) if (at.role !== '') return at.role;
  return '';
}

/** Which texts are signed: in answers those of thoughts, in requests what a model wrote beside a signature. */
export class SignedTexts {
  /** Remembered, since many texts lie in one object. */
  readonly #known = new Map<Holder, boolean>();
  readonly #from: 'request' | 'answer';

  constructor(from: 'request' | 'answer') {
    this.#from = from;
  }

  has({ holder, kind }: Literal): boolean {
    if (kind === 'name') return false;
    if (this.#from === 'request') return this.#isSigned(holder);
    return thoughts.has(holder.type) || (holder.isSigned && isThought(holder));
  }

  #isSigned(holder: Holder): boolean {
    const known = this.#known.get(holder);
    if (known !== undefined) return known;
    // A signature in what a caller wrote signs nothing.
    const isOwn = holder.isSigned && /^(?:assistant|model)$/.test(roleOf(holder));
    const isSigned = isOwn || (holder.parent !== null && this.#isSigned(holder.parent));
    this.#known.set(holder, isSigned);
    return isSigned;
  }
}
