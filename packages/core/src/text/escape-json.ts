import { replaceHidden } from './hidden-characters.ts';

function escapeUnits(character: string): string {
  // Between values: within a string JSON has them escaped already.
  if (character === '\n' || character === '\t') return character;
  if (character === '\r') return ' ';
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/**
 * The same JSON with invisible characters escaped, as `\u001b`: JSON itself requires that of C0 controls only.
 *
 * @param json one or more valid JSON texts
 */
export function escapeJson(json: string): string {
  return replaceHidden(json, escapeUnits);
}
