import { replaceHidden } from './hidden-characters.ts';

const count = new Intl.NumberFormat('en');

const byNumber = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/**
 * Any text for one line of a terminal or a log: what cannot be seen is shown by its number, as `\u{1b}`, so that no text can steer a terminal,
 * begin a line of its own or look like another one.
 *
 * @param max UTF-16 units that are shown at most; how many more there were is told
 */
export function toLineText(text: string, max = 1_000): string {
  if (text.length <= max) return replaceHidden(text, byNumber);
  return `${replaceHidden(text.slice(0, max), byNumber)}... (${count.format(text.length - max)} more)`;
}

/** The same for a text that has several lines of its own. What somebody else chose must have gone through {@link toLineText} before it became part of it. */
export function toLinesText(text: string, max = 10_000): string {
  const lines = text.slice(0, max).split('\n');
  return lines.map((line) => toLineText(line, max)).join('\n') + (text.length > max ? '...' : '');
}
