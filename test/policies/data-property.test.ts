import { writeAnswer } from '@agp/testing/corpus';
import { expect, test } from 'vitest';
import { exchangeOf, openRedactor, redactAnswer, redactRequest } from './data-texts.ts';
import {
  answers,
  type Leaf,
  makeLeaf,
  paths,
  type Random,
  requests,
  seeded,
  streams,
  type Write,
} from './random-conversations.ts';

/** Random conversations of each dialect and direction. `PROPERTY_RUNS=6250 npm test -- data-property` tries 100,000 of them. */
const runs = Number(process.env.PROPERTY_RUNS ?? 150);

/** Two bodies of one shape: what is sent, and what is to arrive. */
function writeBoth(write: Write, seed: number): [given: unknown, kept: unknown] {
  const side = (name: keyof Leaf) => {
    const [shape, texts] = [seeded(seed), seeded(seed + 1)];
    return write(
      shape,
      () => makeLeaf(texts)[name],
      () => makeLeaf(texts).given,
    );
  };
  return [side('given'), side('kept')];
}

const seedOf = (name: string, run: number) => name.length * 1_000_003 + run * 2;

test.each(Object.entries(requests))(
  'a request to %s arrives without its values, and else as it was',
  async (name, write) => {
    for (let run = 0; run < runs; run++) {
      const [given, kept] = writeBoth(write, seedOf(name, run));
      const { text, unsearched } = await redactRequest(Buffer.from(JSON.stringify(given)));
      expect([text, unsearched], `seed ${run}`).toEqual([JSON.stringify(kept), null]);
    }
  },
  3_600_000,
);

test.each(Object.entries(answers))(
  'an answer of %s arrives without its values, and else as it was',
  async (name, write) => {
    const [provider, path] = paths[name] as [string, string];
    const whole = path.replace(/:stream.*/, ':generateContent');
    for (let run = 0; run < runs; run++) {
      const [given, kept] = writeBoth(write, seedOf(name, run) + 7);
      const bytes = Buffer.from(JSON.stringify(given));
      const got = await redactAnswer(exchangeOf(provider, whole), [bytes], { 'content-type': 'application/json' });
      expect(got, `seed ${run}`).toBe(JSON.stringify(kept));
    }
  },
  3_600_000,
);

function cut(random: Random, text: string): string[] {
  const parts: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const length = 1 + Math.floor(random() * 12);
    parts.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return parts;
}

test.each(Object.entries(streams))(
  'a stream of %s arrives without its values, and else as it was',
  async (name, open) => {
    const [provider, path] = paths[name] as [string, string];
    for (let run = 0; run < runs; run++) {
      const random = seeded(seedOf(name, run) + 13);
      const texts = Array.from({ length: 2 + Math.floor(random() * 6) }, (_, index) => {
        return { ...makeLeaf(random), streamed: open(index, random) };
      });
      const frames = texts.flatMap(({ given, streamed }) => [
        ...(streamed.open ? [streamed.open] : []),
        ...cut(random, given).map((part) => streamed.write(part)),
        ...(streamed.close ? [streamed.close] : []),
      ]);
      const { bytes, contentType } = writeAnswer({ status: 200, frames } as never);
      const size = 1 + Math.floor(random() * 200);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const passed = await redactAnswer(
        exchangeOf(provider, path),
        chunks,
        { 'content-type': contentType },
        openRedactor(),
      );
      const got = passed.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
      expect(got.length, `seed ${run}`).toBe(frames.length);
      // Nothing but texts changes: each text is what its own frames say.
      let at = 0;
      for (const { given, kept, streamed } of texts) {
        const from = at;
        if (streamed.open) at += 1;
        let said = '';
        let sent = '';
        for (; sent.length < given.length; at++) {
          sent += streamed.read(frames[at] as never) ?? '';
          said += streamed.read(got[at] as never) ?? '';
        }
        expect(said, `seed ${run}, frames from ${from}`).toBe(kept);
        if (streamed.close) expect(got[at++], `seed ${run}`).toEqual(streamed.close);
      }
    }
  },
  3_600_000,
);
