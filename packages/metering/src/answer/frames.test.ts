import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StreamReader } from '../dialects/operation.ts';
import { FramePipe } from './frame-pipe.ts';
import { FrameSplitter } from './frames.ts';
import { nothingRead } from './reading.ts';

/** Reads bytes in chunks that end at the given positions, and returns what the stream reader was given. */
function read(bytes: Buffer, cuts: readonly number[] = []): { event: string; data: string }[] {
  const frames: { event: string; data: string }[] = [];
  const reader: StreamReader = {
    push: (frame) => void frames.push({ event: frame.event, data: frame.text() }),
    end: () => ({ ...nothingRead, outputText: () => ({ parts: [], whole: true }) }),
  };
  const sse = new FramePipe('frames', reader, []);
  let from = 0;
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    sse.push(bytes.subarray(from, cut));
    from = cut;
  }
  sse.read();
  return frames;
}

/** The same by a parser of the field. It keeps a frame without a blank line, which we read at the end. */
function readWithParser(text: string): { event: string; data: string }[] {
  const frames: { event: string; data: string }[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => frames.push({ event: event ?? '', data }) });
  parser.feed(`${text}\n\n`);
  return frames;
}

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const field = fc.constantFrom(
  'data: {"a":"ü"}',
  'data:x',
  'data:  two',
  'data',
  'event: named',
  'id: 1',
  ': ping',
  'data2: no',
  'retry: 5',
  ' data: no',
);
const stream = fc
  .array(fc.tuple(fc.oneof({ weight: 2, arbitrary: field }, fc.constant('')), lineEnd), { maxLength: 30 })
  .map((lines) => lines.map((line) => line.join('')).join(''));

test('frames are read as another parser reads them, whatever the line ends', () => {
  fc.assert(
    fc.property(stream, (text) => {
      expect(read(Buffer.from(text))).toEqual(readWithParser(text));
    }),
    { numRuns: 200 },
  );
});

test('frames are the same however the bytes are split', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(400)), (text, positions) => {
      const bytes = Buffer.from(text);
      const whole = read(bytes);
      expect(
        read(
          bytes,
          positions.map((at) => at % (bytes.length + 1)),
        ),
      ).toEqual(whole);
      expect(read(bytes, [...bytes.keys()])).toEqual(whole);
    }),
    { numRuns: 150 },
  );
});

test('any bytes can be read', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(read(Buffer.from(bytes), [...bytes.keys()])).toEqual(read(Buffer.from(bytes)));
    }),
  );
});

test('a byte order mark is no part of the first field', () => {
  expect(read(Buffer.from('\uFEFFdata: 1\n\ndata: 2\n\n'), [1, 2])).toEqual([
    { event: '', data: '1' },
    { event: '', data: '2' },
  ]);
});

test('a frame past the bound is passed over, and the ones around it are read', () => {
  const large = `data: ${'x'.repeat(9 * 1024 * 1024)}\n\n`;
  const bytes = Buffer.from(`data: 1\n\n${large}data: 2\n\n`);
  const cuts = Array.from({ length: 140 }, (_, i) => i * 65_536);
  expect(read(bytes, cuts).map(({ data }) => data)).toEqual(['1', '2']);
});

test('blank lines in a row are one piece, however many', () => {
  const splitter = new FrameSplitter();
  const pieces: [number, number, string][] = [];
  const push = (text: string) => splitter.push(text, (...piece) => pieces.push(piece));
  push(`data: x\n\n${'\n'.repeat(10_000)}${'\r\n'.repeat(10_000)}\r`);
  push('\ndata: y\n\n');
  expect(pieces).toEqual([
    [0, 9, 'end'],
    [9, 30_010, 'end'],
    [0, 1, 'tail'],
    [1, 10, 'end'],
  ]);
});
