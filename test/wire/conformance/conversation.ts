import type { FakeReply } from '@agp/testing/providers';
import { type CannedAnswer, cannedAnswer } from '@agp/testing/providers';
import { countTokens as countOlder } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

export const instructions = 'You are terse.';
export const question = 'Who wrote the first program?';
export const messages = [
  { role: 'system', content: instructions },
  { role: 'user', content: question },
];

/** What models answer, in the pieces that they stream. The address stands in two of them. */
export const words = ['Ada Lovelace', ' wrote it:', ' ask ada@', 'example.com', ', she', ' says.'];

/** What they have said after four pieces, where streams end that are cut. */
const begun = 'Ada Lovelace wrote it: ask ada@example.com';

/** What models think before they answer, where they show it, and what they have thought after four pieces. */
export const thoughts = ['Who was it?', ' Perhaps', ' ada@', 'example.com', ' did.'];
const thoughtBegun = 'Who was it? Perhaps ada@example.com';

/** Texts that are estimated, counted by a tokenizer. Texts side by side stand on lines of their own. */
export const estimates = {
  asked: countTokens('You are terse.\nWho wrote the first program?'),
  question: countTokens(question),
  begun: countTokens(begun),
  thoughtBegun: countTokens(thoughtBegun),
  said: countTokens('Ada Lovelace wrote it: ask ada@example.com, she says.'),
};
export const olderEstimates = {
  asked: countOlder('Who wrote the first program?'),
  begun: countOlder(begun),
  said: countOlder('Ada Lovelace wrote it: ask ada@example.com, she says.'),
};

/** A call of a tool with an address in it. */
export const toolCalls = [{ id: 'call_1', name: 'send_mail', arguments: '{"to":"ada@example.com"}' }];
export const toolParameters = { type: 'object', properties: { to: { type: 'string' } } };

/** 1,000 tokens in and 6 out, unless it is said otherwise. */
export function answerOf(model: string, given: Partial<CannedAnswer> = {}): CannedAnswer {
  return { ...cannedAnswer, model, words, input: 1_000, output: 6, ...given };
}

/** All bytes of a reply's body. */
export function toWire({ body = '' }: FakeReply): string {
  if (typeof body === 'string') return body;
  return 'steps' in body ? (body.steps as string[]).join('') : JSON.stringify(body);
}

/** A wire up to the end of the frame that a text stands in. */
export function untilFrame(wire: string, text: string, frameEnd = '\n\n'): string {
  const end = wire.indexOf(frameEnd, wire.indexOf(text));
  if (!wire.includes(text) || end < 0) throw new Error(`no frame with ${text}`);
  return wire.slice(0, end + frameEnd.length);
}

/** A wire that breaks off right behind a text. */
export function untilText(wire: string, text: string): string {
  if (!wire.includes(text)) throw new Error(`no ${text}`);
  return wire.slice(0, wire.indexOf(text) + text.length);
}

/** The same wire, JSON or a stream of it, from a server that tells no figures. */
export function withoutFigures(wire: string): string {
  const leaveOut = (key: string, value: unknown) => (/^usage(Metadata)?$/.test(key) ? undefined : value);
  const strip = (text: string) => JSON.stringify(JSON.parse(text), leaveOut);
  if (!wire.includes('data: ')) return strip(wire);
  return wire.replace(/^data: (\{.*)$/gm, (_, data: string) => `data: ${strip(data)}`);
}
