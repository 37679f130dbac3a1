import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventStreamCodec } from '@smithy/core/event-streams';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Frame } from '../json/frame.ts';
import { EventSplitter, readMessage, writeException, writeMessage } from './event-stream.ts';

const fixtures = join(import.meta.dirname, '../../test/fixtures');

/** What AWS' own packages compute: an event, an exception, and an event of Claude's in Base64. */
const messages = readFileSync(join(fixtures, 'event-stream-messages.txt'), 'utf8')
  .trim()
  .split('\n')
  .map((hex) => Buffer.from(hex, 'hex'));

/** A recorded answer of ConverseStream. */
const recorded = readFileSync(join(fixtures, 'converse-stream.bin'));

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (given) => Buffer.from(given),
);

/** By AWS' own reader; null for what it refuses. */
function readByAws(bytes: Buffer) {
  try {
    return codec.decode(bytes);
  } catch {
    return null;
  }
}

/** All frames of bytes that come in these pieces; undefined for one that cannot be read. */
function split(pieces: readonly Buffer[]): (Frame | null | undefined)[] {
  const splitter = new EventSplitter();
  const frames: (Frame | null | undefined)[] = [];
  let begun = '';
  for (const piece of pieces) {
    const text = piece.toString('latin1');
    splitter.push(text, (start, end, kind) => {
      begun += text.slice(start, end);
      if (kind !== 'end') return;
      frames.push(splitter.read(begun));
      begun = '';
    });
  }
  return begun === '' ? frames : [...frames, splitter.read(begun)];
}

test("messages of AWS' own packages are read and written byte for byte", () => {
  for (const bytes of messages) {
    const message = readMessage(bytes);
    expect(message && writeMessage(message.headerBytes, message.payload)).toEqual(bytes);
  }
  const [metadata, exception, chunk] = split(messages);
  expect(metadata).toMatchObject({ event: 'metadata' });
  expect(metadata?.object().usage).toEqual({ inputTokens: 3, outputTokens: 5, totalTokens: 8 });
  expect([exception?.event, exception?.object()]).toEqual(['throttlingException', { message: 'Too many tokens' }]);
  expect([chunk?.event, chunk?.object().type]).toEqual(['', 'message_stop']);
  expect(writeException('throttlingException', 'Too many tokens')).toEqual(messages[1]);
});

test('a recorded stream is the same however it is split', () => {
  const whole = split([recorded]);
  expect(whole.map((frame) => frame?.event)).toEqual([
    'messageStart',
    ...Array.from({ length: 3 }, () => 'contentBlockDelta'),
    'contentBlockStop',
    'messageStop',
    'metadata',
  ]);
  for (let at = 1; at < recorded.length; at += 1)
    expect(split([recorded.subarray(0, at), recorded.subarray(at)])).toEqual(whole);
  expect(split([...recorded].map((byte) => Buffer.from([byte])))).toEqual(whole);
});

test('another text is written with right check sums, and headers and padding stay', () => {
  const splitter = new EventSplitter();
  const [metadata, , chunk] = messages as [Buffer, Buffer, Buffer];
  const changed = splitter.rewrite(chunk, Buffer.from('{"type":"ping"}'));
  const read = codec.decode(changed);
  expect(read.headers).toEqual(codec.decode(chunk).headers);
  const { bytes } = JSON.parse(Buffer.from(read.body).toString()) as { bytes: string };
  expect(Buffer.from(bytes, 'base64').toString()).toBe('{"type":"ping"}');
  expect(Buffer.from(codec.decode(splitter.rewrite(metadata, Buffer.from('{}'))).body).toString()).toBe('{}');
});

test('what is refused stays unread to its end', () => {
  const [metadata = recorded] = messages;
  const broken = Buffer.from(metadata);
  broken[3] = 0;
  expect(split([metadata, broken, metadata]).map((frame) => frame?.event)).toEqual(['metadata', undefined, undefined]);
  const cut = metadata.subarray(0, -1);
  expect(split([cut])).toEqual([undefined]);
});

/** Bytes with some of them changed, some cut off, or with check sums that are right again. */
const mutated = fc
  .record({
    of: fc.constantFrom(...messages),
    changes: fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 3 }),
    cut: fc.nat(3),
    isSummed: fc.boolean(),
  })
  .map(({ of, changes, cut, isSummed }) => {
    const bytes = Buffer.from(of.subarray(0, of.length - (cut === 3 ? 1 : 0)));
    for (const [at, value] of changes) bytes[at % bytes.length] = value;
    if (!isSummed) return bytes;
    const headerLength = Math.min(bytes.readUInt32BE(4), bytes.length - 16);
    return writeMessage(bytes.subarray(12, 12 + headerLength), bytes.subarray(12 + headerLength, -4));
  });

test("of 100,000 changed messages each is refused, or read as AWS' own reader does", () => {
  let read = 0;
  fc.assert(
    fc.property(mutated, (bytes) => {
      const own = readMessage(bytes);
      if (own === null) return;
      read += 1;
      const theirs = readByAws(bytes);
      expect(theirs).not.toBeNull();
      expect(own.payload.equals(theirs?.body ?? Buffer.alloc(0))).toBe(true);
      for (const [name, value] of own.headers) {
        const header = theirs?.headers[name];
        expect(header?.type === 'string' ? header.value : '').toBe(value);
      }
    }),
    { numRuns: 100_000, seed: 62 },
  );
  expect(read).toBeGreaterThan(10_000);
}, 120_000);
