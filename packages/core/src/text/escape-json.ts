import { replaceHidden } from './hidden-characters.ts';

function escapeUnits(character: string): string {
  // Between the values; within a string it could not stand as it is.
  if (character === '\n' || character === '\t') return character;
  if (character === '\r') return ' ';
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/**
 * The same JSON in characters that a terminal shows: what cannot be seen is escaped, as `\u001b`. JSON itself asks that of C0 controls alone.
 *
 * @param json a valid JSON text, or several behind each other
 */
export function escapeJson(json: string): string {
  return replaceHidden(json, escapeUnits);
}
