import { parsePriceFile } from '@agp/catalogue';
import { createMetering, openSearch, type Redactor, replaceInSteps, type SearchConfig } from '@agp/metering';
import { piiGroups } from '@agp/pii';
import { inTurns } from '@agp/runtime';
import { type CorpusAnswer, type Exchange, type Written, writeAnswer, writeRequest } from '@agp/testing/corpus';
import { readHead } from '../corpus/measure-exchange.ts';
import { labelledSentences } from '../pii/labelled-sentences.ts';

export const everyKind: SearchConfig = { kinds: piiGroups.all, patterns: [], findsLabels: false };

/** A text, and what goes on of it. */
export interface Sentence {
  text: string;
  kept: string;
  values: readonly string[];
}

/** What stands behind each, since addresses near to one another are one finding. */
const rest = ', and of this we speak "later" \\ today.\n';

/** Names of people are found after the call alone; the number left out is one of a phone behind a tool's member `text`. */
export const sentences: readonly Sentence[] = labelledSentences
  .filter((one) => one !== 'part number 457-555-463')
  .map((labelled) => {
    const values: string[] = [];
    const sentence = labelled.replaceAll(/\[person_name\|([^\]]+)\]/g, '$1');
    const [text, kept] = [
      sentence.replaceAll(/\[[a-z_]+\|([^\]]+)\]/g, (_, value: string) => {
        values.push(value);
        return value;
      }),
      sentence.replaceAll(/\[([a-z_]+)\|[^\]]+\]/g, '[$1]'),
    ];
    return { text: `${text}${rest}`, kept: `${kept}${rest}`, values };
  });

const metering = createMetering({ isStrict: false, pii: null, prices: parsePriceFile('[]') });
const holder = { agentId: 'a', source: null };

/** Puts `[kind]` in place of each finding; `blocks` ends the answer instead. */
export function openRedactor({ config = everyKind, blocks = false } = {}): Redactor & { unread: string[] } {
  const unread: string[] = [];
  return {
    config,
    search: openSearch(config),
    put(kind) {
      this.hasEnded ||= blocks;
      return blocks ? null : `[${kind}]`;
    },
    passesUnread: (what) => unread.push(what) > 0,
    hasEnded: false,
    unread,
  } as Redactor & { unread: string[]; hasEnded: boolean };
}

/** A body as it goes on to its provider. */
export async function redactRequest(bytes: Buffer, contentType = 'application/json', config = everyKind) {
  const found = await metering.searchBody({ bytes, form: { contentType, contentEncoding: '' } }, config, holder);
  const changed = await inTurns(replaceInSteps(bytes, found.places, (kind) => `[${kind}]`));
  return { text: changed.toString(), ...found };
}

/** An answer in pieces as it goes on to its agent. */
export async function redactAnswer(
  exchange: Exchange,
  pieces: readonly Buffer[],
  headers: Record<string, string>,
  redactor: Redactor = openRedactor(),
): Promise<string> {
  const head = readHead(exchange);
  const claims = { claimBill: async () => true, findClaim: async () => null };
  const meter = metering.open({ head, holder, body: null, reservation: { nanoUsd: 0, isCapped: false }, ...claims });
  const isError = (exchange.answer?.status ?? 200) >= 400;
  const pipe = meter.openPipe(headers, { redactor, isError });
  if (pipe === null) throw new Error(`no operation for ${exchange.name}`);
  const passed: Buffer[] = pieces.map((piece) => Buffer.from(pipe.push(piece)));
  passed.push(pipe.end());
  const later = await pipe.later;
  if (later) passed.push(later);
  pipe.close();
  pipe.release();
  return Buffer.concat(passed).toString();
}

const holdsJson = /^\s*[{[]/;

/** The same JSON with a text in each of its strings, in those of JSON in strings too. @param signed in thoughts */
function fill(value: unknown, text: string, signed = text, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => fill(each, text, signed, key));
  if (typeof value === 'object' && value !== null) {
    // Thoughts of Mistral are lists of texts, which nobody signs.
    const isThinking =
      'type' in value && /^thinking/.test(String(value.type)) && typeof Object(value).thinking === 'string';
    const isThought = isThinking || ('thought' in value && 'thoughtSignature' in value);
    const own = isThought ? signed : text;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each, own, signed, name)]));
  }
  // Any number is an address behind this word.
  if (key === 'zip') return null;
  if (typeof value !== 'string' || key === 'type') return value;
  try {
    return holdsJson.test(value) ? JSON.stringify(fill(JSON.parse(value), text)) : text;
  } catch {
    return text;
  }
}

export type Path = readonly (string | number)[];

/** The path of each string of JSON. */
export function* listPaths(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value === 'string') yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value))
    yield* listPaths(each, [...path, Array.isArray(value) ? Number(key) : key]);
}

/** Without the places in lists. */
export const toWay = (path: Path): string => path.filter((key) => typeof key === 'string').join('.');

export function putAt(value: unknown, [key, ...rest]: Path, text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value)) return value.map((each, at) => (at === key ? putAt(each, rest, text) : each));
  return { ...(value as object), [key]: putAt((value as Record<string, unknown>)[key], rest, text) };
}

export function fillRequest({ request }: Exchange, text: string): string {
  const body = fill(request.body, text) as typeof request.body;
  return writeRequest({ ...request, body } as typeof request)?.bytes.toString() ?? '';
}

/** @param signed in thoughts of an answer, which nothing can replace */
export function fillAnswer(answer: CorpusAnswer, text: string, signed = text): Written {
  const { body, frames, array, lines } = answer;
  const filled = {
    ...answer,
    ...(body !== undefined && { body: fill(body, text, signed) }),
    ...(answer.text !== undefined && { text }),
    ...(frames && { frames: frames.map((frame) => fillFrame(frame, text, signed)) }),
    ...(array && { array: array.map((frame) => fillFrame(frame, text, signed)) }),
    ...(lines && { lines: lines.map((frame) => fillFrame(frame, text, signed)) }),
  } as CorpusAnswer;
  return writeAnswer(filled);
}

/** A text is a frame as it is sent, and an event's name stays. */
function fillFrame(frame: string | Record<string, unknown>, text: string, signed: string): unknown {
  if (typeof frame === 'string') return frame;
  const { event, ...rest } = frame;
  const isNamed = typeof event === 'string' && 'data' in rest && Object.keys(rest).length === 1;
  return isNamed ? { event, data: fill(rest['data'], text, signed) } : fill(frame, text, signed);
}

/** An exchange of an operation, without a body. */
export const exchangeOf = (provider: string, path: string): Exchange => {
  const request = { provider, path, method: 'POST' as const };
  return { name: path, dialect: '', operation: '', file: '', why: '', request, ends: 'whole', isCapped: false };
};
