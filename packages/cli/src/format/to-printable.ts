/** Controls, and characters that change the direction or the breaking of a line: what agents and models wrote must not steer a terminal. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A text of somebody else's for one line of a terminal: what cannot be printed is shown by its number. */
export function toPrintable(text: string): string {
  return text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
