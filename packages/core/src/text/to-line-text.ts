import { replaceHidden } from './hidden-characters.ts';

const count = new Intl.NumberFormat('en');

const byNumber = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/**
 * Any text for one line of a terminal or a log: invisible characters are shown by number, as `\u{1b}`, so that no text can control a
 * terminal, start a new line or pass for another text.
 *
 * @param max UTF-16 units shown; the rest is only counted
 */
export function toLineText(text: string, max = 1_000): string {
  if (text.length <= max) return replaceHidden(text, byNumber);
  return `${replaceHidden(text.slice(0, max), byNumber)}... (${count.format(text.length - max)} more)`;
}

/** The same for a text of several lines. Parts that somebody else chose must have passed {@link toLineText} before. */
export function toLinesText(text: string, max = 10_000): string {
  const lines = text.slice(0, max).split('\n');
  return lines.map((line) => toLineText(line, max)).join('\n') + (text.length > max ? '...' : '');
}
