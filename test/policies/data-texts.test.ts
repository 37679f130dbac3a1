import { type CorpusAnswer, type Exchange, loadCorpus, writeAnswer, writeForm } from '@agp/testing/corpus';
import { expect, test } from 'vitest';
import {
  fillAnswer,
  fillRequest,
  listPaths,
  openRedactor,
  type Path,
  putAt,
  redactAnswer,
  redactRequest,
  type Sentence,
  sentences,
  toWay,
} from './data-texts.ts';

const corpus = loadCorpus();
/** A part of one broken off is no JSON, which is told in `data-streams.test.ts`. */
const isWhole = ({ answer }: Exchange): boolean => answer?.text === undefined || answer.type !== undefined;

/** Those with a string that stands in none before, by operation and way to it. */
function pick(read: (exchange: Exchange) => unknown): [name: string, Exchange[]][] {
  const seen = new Set<string>();
  const picked = corpus.filter((exchange) => {
    const ways = [...listPaths(read(exchange))].map((path) => `${exchange.operation} ${toWay(path)}`);
    const isNew = ways.some((way) => !seen.has(way));
    for (const way of ways) seen.add(way);
    return isNew;
  });
  return Object.entries(Object.groupBy(picked, ({ dialect, operation }) => `${dialect} ${operation}`)) as never;
}

const requests = pick(({ request }) => request.body);
const answers = pick((exchange) => {
  const { body, frames, array, lines, text } = exchange.answer ?? {};
  return isWhole(exchange) ? (body ?? frames ?? array ?? lines ?? text) : null;
});

test('operations of all dialects are in the corpus, and a hundred sentences', () => {
  expect(requests.length).toBeGreaterThan(30);
  expect(answers.length).toBeGreaterThan(30);
  expect(sentences.length).toBeGreaterThan(100);
});

test.each(requests)('every text of a request to %s is replaced, and nothing else', async (_name, exchanges) => {
  for (const exchange of exchanges)
    for (const { text, kept } of sentences)
      expect((await redactRequest(Buffer.from(fillRequest(exchange, text)))).text).toBe(fillRequest(exchange, kept));
});

test.each(answers)('every text of an answer of %s is replaced, and nothing else', async (_name, exchanges) => {
  for (const { answer = { status: 200 }, ...exchange } of exchanges)
    for (const { text, kept } of sentences) {
      const { contentType, bytes } = fillAnswer(answer, text);
      const headers = { 'content-type': contentType, ...answer.headers };
      expect(await redactAnswer({ ...exchange, answer }, [bytes], headers)).toBe(
        `${fillAnswer(answer, kept, text).bytes}`,
      );
    }
});

test('fields of forms are searched, and cannot be replaced', async () => {
  for (const { text, values } of sentences) {
    const { bytes, contentType } = writeForm({ model: 'whisper-1', prompt: text });
    const { places, isChangeable } = await redactRequest(bytes, contentType);
    expect([places.length > 0, isChangeable]).toEqual([values.length > 0, false]);
  }
});

/** Members that go on with a text in the next frame. */
const continued =
  /^(?:content|text|delta|reasoning_content|reasoning|refusal|arguments|partial_json|thinking|input|transcript|summary)$/;
const isLast = /"finish_reason":"|(?:done|completed|added|segment|start)"/;

/** A text of a stream, and what holds it in one of its frames. */
interface Channel {
  exchange: Exchange;
  frames: readonly object[];
  index: number;
  path: Path;
}

/** Each once by operation, kind of frame and way to it; no other frame has a part of the same text. */
function listChannels(): [name: string, Channel][] {
  const seen = new Set<string>();
  return corpus.flatMap((exchange) => {
    const frames = exchange.answer?.frames?.filter((frame) => typeof frame === 'object') ?? [];
    return frames.flatMap((frame, index) =>
      [...listPaths(frame)].flatMap((path): [string, Channel][] => {
        const { type = '' } = (frame['data'] ?? frame) as { type?: string };
        const name = `${exchange.dialect} ${exchange.operation} ${type} ${toWay(path)}`;
        if (!continued.test(String(path.at(-1))) || isLast.test(JSON.stringify(frame)) || seen.has(name)) return [];
        seen.add(name);
        const emptied = frames.map((each) =>
          [...listPaths(each)]
            .filter((other) => toWay(other) === toWay(path))
            .reduce<unknown>((changed, other) => putAt(changed, other, ''), each),
        );
        return [[name, { exchange, frames: emptied as object[], index, path }]];
      }),
    );
  });
}

const channels = listChannels();

/** Nothing can stand in the place of what a provider signs. */
const isSigned = ({ path }: Channel): boolean => path.at(-1) === 'thinking';

/** Parts of a text in frames of their own, as they pass, and all that passed. */
async function pass({ exchange, frames, index, path }: Channel, parts: readonly string[], blocks = false) {
  const own = parts.map((part) => putAt(frames[index], path, part));
  const given = [...frames.slice(0, index), ...own, ...frames.slice(index + 1)];
  const { contentType, bytes } = writeAnswer({ ...exchange.answer, frames: given } as CorpusAnswer);
  // Chunks end anywhere in frames and characters.
  const size = 1 + (bytes.length % 997);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const headers = { 'content-type': contentType, ...exchange.answer?.headers };
  const passed = await redactAnswer(exchange, chunks, headers, openRedactor({ blocks }));
  const isNamed = 'data' in (frames[index] as object);
  const read = passed.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
  const last = index + parts.length;
  const text = read
    .slice(index, last)
    .map((frame) => (isNamed ? path.slice(1) : path).reduce((at, key) => at?.[key], frame));
  return { passed, text: text.join(''), others: JSON.stringify([...read.slice(0, index), ...read.slice(last)]) };
}

/** The same places in each run. */
function cutAnywhere(text: string, seed: number): string[] {
  const places = Array.from({ length: 1 + (seed % 7) }, (_, at) => (seed * 7_919 + at * at * 104_729) % text.length);
  const sorted = [0, ...places.sort((a, b) => a - b), text.length];
  return sorted.slice(1).map((to, at) => text.slice(sorted[at], to));
}

/** A tool's arguments. */
const asJson = (text: string) =>
  JSON.stringify({ note: text, list: [text, { deep: JSON.stringify({ again: text }) }], ok: true, none: null, n: 1.5 });

test('texts of all streams are known', () => {
  expect(channels.length).toBeGreaterThan(24);
});

test.each(channels)('a stream of %s is whole at random cuts', async (name, channel) => {
  let seed = name.length;
  // Some hold values of their own.
  const { others } = await pass(channel, ['nothing']);
  for (const { text, kept, values } of sentences)
    for (const write of [String, asJson]) {
      const parts = cutAnywhere(write(text), ++seed);
      const { passed, ...got } = await pass(channel, parts);
      const isStaying = isSigned(channel);
      expect(got, JSON.stringify(parts)).toEqual({ text: write(isStaying ? text : kept), others });
      if (!isStaying) expect(values.filter((value) => passed.includes(value))).toEqual([]);
    }
});

/** A number with its naming word, one in groups, an address of several lines. */
const few = [1, 9, 15, 55].map((at) => sentences[at] as Sentence);

test.each(channels)('a stream of %s is whole at every split', async (_name, channel) => {
  for (const { text, kept } of few)
    for (let at = 0; at <= text.length; at++)
      expect((await pass(channel, [text.slice(0, at), text.slice(at)])).text, `split at ${at}`).toBe(
        isSigned(channel) ? text : kept,
      );
});

test.each(channels)('a stream of %s ends before what is blocked', async (name, channel) => {
  let seed = name.length;
  for (const { text, values } of sentences.filter((sentence) => sentence.values.length > 0)) {
    const { text: got, passed } = await pass(channel, cutAnywhere(text, ++seed), true);
    expect([text.startsWith(got), values.filter((value) => passed.includes(value))]).toEqual([true, []]);
  }
});
