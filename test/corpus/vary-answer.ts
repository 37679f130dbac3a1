import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type Exchange, writeAnswer } from '@agp/testing/corpus';
import type { Form } from './measure-exchange.ts';

const encoders = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync, deflate: deflateSync };

const comments = ': ping\n\n:\n\nretry: 3000\n\n';

/** What can be changed in a stream of events without changing what it says. */
const eventForms: Readonly<Record<string, (wire: string) => string>> = {
  CRLF: (wire) => wire.replaceAll('\n', '\r\n'),
  CR: (wire) => wire.replaceAll('\n', '\r'),
  'byte order mark': (wire) => `\ufeff${wire}`,
  comments: (wire) => comments + wire.replace('\n\n', `\n\n${comments}`),
  'no last blank line': (wire) => (wire.endsWith('\n\n') ? wire.trimEnd() : wire),
};

const changeText = (bytes: Buffer, change: (wire: string) => string) => Buffer.from(change(bytes.toString()));

/** Places that are the same in each run, with another distance for each length. */
const placesOf = (length: number, count: number) =>
  Array.from({ length: Math.min(count, length - 1) }, (_, index) => 1 + ((index * 7_919 + length) % (length - 1)));

/** Forms of an answer, by their names, that say the same as it. @param sameBytes divided in other ways alone */
export function* listForms({ answer, ends }: Exchange, sameBytes: boolean): Generator<[name: string, Form]> {
  if (!answer || answer.bytes !== undefined) return;
  const { contentType, bytes } = writeAnswer(answer);
  const { bytes: unasked } = writeAnswer(answer, false);
  if (bytes.length === 0) return;
  yield ['byte by byte', { pieces: Array.from(bytes, (byte) => Buffer.from([byte])) }];
  for (const at of placesOf(bytes.length, 12))
    yield [`divided at ${at}`, { pieces: [bytes.subarray(0, at), bytes.subarray(at)] }];
  if (sameBytes) return;
  // The first bytes tell what came, under whatever type; AWS' frames are known by theirs alone.
  if (answer.type === undefined && !answer.lines && !answer.events)
    yield [
      'another content type',
      { contentType: answer.frames ? 'application/json' : 'text/event-stream', bytes, unasked },
    ];
  for (const [encoding, encode] of Object.entries(encoders)) yield [encoding, { encoding, bytes: encode(bytes) }];
  const cut = gzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  if (ends !== 'whole') yield ['gzip that breaks off', { encoding: 'gzip', bytes: cut }];
  if (!contentType.startsWith('text/event-stream')) return;
  for (const [name, change] of Object.entries(eventForms))
    yield [name, { bytes: changeText(bytes, change), unasked: changeText(unasked, change) }];
}
