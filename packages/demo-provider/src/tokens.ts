import { createHash } from 'node:crypto';

/** The overhead of a message in a chat format, in tokens. */
const tokensPerMessage = 4;
/** Longer texts, in UTF-16 units, are not split to count them. */
const maxSplit = 100_000;

/** Splits text into pieces as long as a real tokenizer's: six letters with the space before, or one character. */
export function splitTokens(text: string): string[] {
  return text.match(/ ?[\p{L}\p{N}_]{1,6}|[\s\S]/gu) ?? [];
}

export function countTokens(text: string): number {
  return text.length > maxSplit ? Math.ceil(text.length / 4) : splitTokens(text).length;
}

/** Tokens of a conversation, given the text of each of its messages. */
export function countConversationTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + tokensPerMessage + countTokens(text), 0);
}

/** A unit vector that depends on the text only. */
export function embedText(text: string, dimensions: number): number[] {
  const values: number[] = [];
  for (let block = 0; values.length < dimensions; block += 1) {
    const digest = createHash('sha256').update(`${block}\n${text}`).digest();
    for (let offset = 0; offset < digest.length && values.length < dimensions; offset += 2) {
      values.push(digest.readInt16BE(offset) / 32_768);
    }
  }
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}
