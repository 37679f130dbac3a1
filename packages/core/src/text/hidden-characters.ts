/**
 * Characters that a terminal does not show as they are: controls (C0, C1, DEL), line and paragraph separators, those that change the
 * direction of text, have no width or look like a space, lone surrogates, unassigned characters, and marks stacked on marks.
 */
const hidden = String.raw`\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}|(?<=\p{M}\p{M})\p{M}`;

/** A quick look: most texts have none. */
const plain = /^[\x20-\x7e]*$/;

const everyHidden = new RegExp(hidden, 'gu');

/** Replaces each of those characters. */
export function replaceHidden(text: string, write: (character: string) => string): string {
  return plain.test(text) ? text : text.replace(everyHidden, write);
}
