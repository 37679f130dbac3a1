import { asObject } from '../json/json-shapes.ts';
import type { ProviderApi } from '../providers/index.ts';
import { visitStrings } from '../providers/visit-strings.ts';

/** The members that hold a conversation, in the order in which an API reads them. */
const members: Record<ProviderApi, readonly string[]> = {
  openai: ['messages', 'input'],
  anthropic: ['messages'],
  gemini: ['contents', 'input'],
};

/** The indexes of the messages that hold a text; none if it is in none of them. */
export type LocateText = (text: string) => readonly number[];

const nowhere: LocateText = () => [];

/** @param body the parsed JSON of a request */
export function createLocateText(api: ProviderApi, body: unknown): LocateText {
  const root = asObject(body);
  const list = members[api].map((name) => root[name]).find((value) => Array.isArray(value));
  if (!Array.isArray(list)) return nowhere;
  let found: Map<string, number[]> | null = null;
  return (text) => {
    found ??= indexTexts(list);
    return found.get(text) ?? findWhole(found, text);
  };
}

/** The last text of a body that is too long is cut. One that is left short is not worth the search. */
const leastCut = 64 * 1024;

function findWhole(found: ReadonlyMap<string, number[]>, cut: string): readonly number[] {
  if (cut.length < leastCut) return [];
  for (const [text, indexes] of found) if (text.startsWith(cut)) return indexes;
  return [];
}

/** Most texts have no findings, and most requests no text with any: they are indexed only for the first. */
function indexTexts(messages: readonly unknown[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [index, message] of messages.entries()) {
    visitStrings([message], 'text', (text) => {
      const known = found.get(text);
      if (known === undefined) found.set(text, [index]);
      else if (known.at(-1) !== index) known.push(index);
      return true;
    });
  }
  return found;
}
