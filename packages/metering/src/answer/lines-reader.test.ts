import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anthropic } from '../dialects/anthropic/operations.ts';
import type { Operation, StreamReader, StreamReading } from '../dialects/operation.ts';
import type { Frame } from '../json/frame.ts';
import { openAnswerPipe } from './answer-pipe.ts';
import { FramePipe } from './frame-pipe.ts';

/** Keeps what it is given. */
class Lines implements StreamReader {
  readonly seen: string[] = [];

  push(frame: Frame): void {
    this.seen.push(frame.text());
  }

  end(): StreamReading {
    return {
      model: null,
      usage: null,
      serviceTier: null,
      usageIsFinal: false,
      sawEnd: false,
      failed: false,
      outputText: () => ({ parts: [], whole: true }),
    };
  }
}

function readLines(body: Buffer, chunkSize: number): string[] {
  const lines = new Lines();
  const reader = new FramePipe('lines', lines, []);
  for (let at = 0; at < body.length; at += chunkSize) reader.push(body.subarray(at, at + chunkSize));
  reader.read();
  return lines.seen;
}

test('lines are the same however the bytes are divided, with or without an end of the last one', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text));
  fc.assert(
    fc.property(fc.array(line), fc.integer({ min: 1, max: 40 }), fc.constantFrom('', '\n'), (lines, size, end) => {
      expect(readLines(Buffer.from(lines.join('\n') + end), size)).toEqual(lines);
    }),
  );
});

test('a line that is too long is passed over, and said to be unread', () => {
  const lines = new Lines();
  const reader = new FramePipe('lines', lines, []);
  reader.push(Buffer.from('{"n":1}\n"'));
  for (let i = 0; i < 9; i++) reader.push(Buffer.alloc(1024 * 1024, 'x'));
  reader.push(Buffer.from('"\n{"n":2}\n'));
  expect(reader.read().inspected).toBe(false);
  expect(lines.seen).toEqual(['{"n":1}', '{"n":2}']);
});

const results = anthropic.match('/v1/messages/batches/b/results', 'GET') as Operation;
const line = (input: number) =>
  `${JSON.stringify({
    result: { type: 'succeeded', message: { model: 'm', usage: { input_tokens: input, output_tokens: 2 } } },
  })}\n`;

test.each(['application/x-jsonl', 'application/binary', 'application/octet-stream', 'application/json', ''])(
  'the results of a batch are read as %j',
  async (type) => {
    const tap = openAnswerPipe(results, { 'content-type': type });
    tap.push(Buffer.from(line(3) + line(4)));
    expect((await tap.read()).usage?.promptTokens).toBe(7);
  },
);

test('results that decode to more than any answer may are read to their end', async () => {
  // As alike as texts are at most: a hundred times smaller.
  const padding = `${randomBytes(12 * 1024)
    .toString('base64')
    .repeat(64)}\n`;
  const body = gzipSync(line(3) + padding.repeat(65) + line(4), { level: 1 });
  const tap = openAnswerPipe(results, { 'content-type': 'application/x-jsonl', 'content-encoding': 'gzip' });
  tap.push(body);
  const reading = await tap.read();
  expect(reading).toMatchObject({ inspected: true, usage: { promptTokens: 7 } });
});

test('results that come faster than they are decoded are read to their end', async () => {
  const padding = `{"custom_id":"${'x'.repeat(1024 * 1024)}"}\n`;
  // Not compressed within: nothing but the number of bytes counts.
  const body = gzipSync(line(3) + padding.repeat(10) + line(4), { level: 0 });
  const tap = openAnswerPipe(results, { 'content-type': 'application/x-jsonl', 'content-encoding': 'gzip' });
  for (let at = 0; at < body.length; at += 65_536) tap.push(body.subarray(at, at + 65_536));
  const reading = await tap.read();
  expect(body.length).toBeGreaterThan(9 * 1024 * 1024);
  expect(reading).toMatchObject({ inspected: true, usage: { promptTokens: 7 } });
});
