import { toLineText } from '../text/to-line-text.ts';

/** Without spaces at its ends, which headers lose on the way and paths do not. */
const printable = /^(?! )[^\p{C}]+(?<! )$/u;
const reserved = /^unnamed-/i;

/** The longest name of an agent, in UTF-16 units (decisions.md section 2). */
export const maxAgentNameLength = 128;

/** Whether a text is 1 to `max` printable characters. */
export function isPrintableText(text: string, max: number): boolean {
  return text.length <= max && printable.test(text);
}

/**
 * Whether an agent may be registered by this name: besides, it has one spelling (Unicode's normalization form C), and nothing in it that cannot be
 * seen or passes for a space. Two such names that look the same are the same, as far as one script goes. Names of before this rule go on.
 */
export function isNewAgentName(name: string): boolean {
  return isPrintableText(name, maxAgentNameLength) && name.normalize() === name && toLineText(name) === name;
}

/** Whether a name is kept for agents that declare none. */
export function isReservedAgentName(name: string): boolean {
  return reserved.test(name);
}
