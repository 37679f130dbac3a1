/**
 * What a terminal does not show as it is: controls (C0, C1, DEL), ends of lines and paragraphs, what turns the direction of text, has no width
 * or looks like a space, halves of pairs, characters that nobody has given a look yet, and marks piled upon marks.
 */
const hidden = String.raw`\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}|(?<=\p{M}\p{M})\p{M}`;

/** Whether there may be any, at the price of a look at each character. */
const plain = /^[\x20-\x7e]*$/;

const everyHidden = new RegExp(hidden, 'gu');

/** Writes each of those characters as `write` says. */
export function replaceHidden(text: string, write: (character: string) => string): string {
  return plain.test(text) ? text : text.replace(everyHidden, write);
}
