import { toLineText } from '../text/to-line-text.ts';

/** No spaces at the ends: headers lose them in transit, and paths do not. */
const printable = /^(?! )[^\p{C}]+(?<! )$/u;
const reserved = /^unnamed-/i;

/** The longest name of an agent, in UTF-16 units. */
export const maxAgentNameLength = 128;

/** Whether a text is 1 to `max` printable characters. */
export function isPrintableText(text: string, max: number): boolean {
  return text.length <= max && printable.test(text);
}

/**
 * Whether a new agent may register with this name: it is printable, in Unicode's normalization form C, and has no invisible characters
 * or characters that look like a space. Within one script, two such names that look the same are the same. Agents that registered
 * before this rule keep their names.
 */
export function isNewAgentName(name: string): boolean {
  return isPrintableText(name, maxAgentNameLength) && name.normalize() === name && toLineText(name) === name;
}

/** Whether a name is reserved for agents that declare none. */
export function isReservedAgentName(name: string): boolean {
  return reserved.test(name);
}
