import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Cell, Row } from './cell.ts';

/** The ways in which the bytes of one and the same answer may come. */
export const wireForms = [
  'a few bytes at a time',
  'CRLF',
  'CR',
  'no last blank line',
  'byte order mark',
  'comments',
  'huge frame',
  'gzip',
  'br',
  'zstd',
  'deflate',
  'gzip, aborted',
] as const;

export type WireForm = (typeof wireForms)[number];

/** An answer in one of the forms. */
export interface FormedCell extends Cell {
  /** Of the body, where it is compressed. */
  encoding?: string;
  bitByBit?: boolean;
}

const encoders: Partial<Record<WireForm, (bytes: Buffer) => Buffer>> = {
  gzip: gzipSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  deflate: deflateSync,
};

const megabyte = JSON.stringify('x'.repeat(1024 * 1024));
const comments = ': ping\n\n:\n\nretry: 3000\n\n';

/** What can be changed in a stream of SSE without changing what it says. */
const sseForms: Partial<Record<WireForm, (wire: string) => string>> = {
  CRLF: (wire) => wire.replaceAll('\n', '\r\n'),
  CR: (wire) => wire.replaceAll('\n', '\r'),
  'no last blank line': (wire) => wire.trimEnd(),
  'byte order mark': (wire) => `\ufeff${wire}`,
  comments: (wire) => comments + wire.replace('\n\n', `\n\n${comments}`),
  'huge frame': (wire) => wire.replace('\n\n', `\n\ndata: {"padding":${megabyte}}\n\n`),
};

/** The same in bodies of JSON: one object, an array or lines. */
const jsonForms: Partial<Record<WireForm, (wire: string) => string>> = {
  'huge frame': (wire) => wire.replace('{', `{"padding":${megabyte},`),
};

/** Bytes that cannot be looked into go through as they are, with the frame of usage in them. */
function encodeCell({ unasked: _, ...cell }: Cell, encoding: string, encode: (bytes: Buffer) => Buffer): FormedCell {
  return { ...cell, wire: encode(Buffer.from(cell.wire)), encoding };
}

/** A row's whole answer, or the one whose agent leaves, in a form; null where this kind of body has none. */
export function toForm({ stream, cells }: Row, form: WireForm): FormedCell | null {
  const cell = cells.complete;
  if (form === 'a few bytes at a time') return cell ? { ...cell, bitByBit: true } : null;
  if (!cell || stream === 'sound') return null;
  if (form === 'gzip, aborted') {
    // The agent waits for all bytes before it leaves: none of them may be held back.
    const flush = { finishFlush: constants.Z_SYNC_FLUSH };
    return cells.aborted && stream !== 'no'
      ? encodeCell(cells.aborted, 'gzip', (bytes) => gzipSync(bytes, flush))
      : null;
  }
  const encode = encoders[form];
  if (encode) return encodeCell(cell, form, encode);
  const change = stream === 'SSE' ? sseForms[form] : jsonForms[form];
  const { wire, unasked, contentType = 'json' } = cell;
  if (!change || typeof wire !== 'string' || !/json|event-stream/.test(contentType)) return null;
  return { ...cell, wire: change(wire), ...(unasked === undefined ? {} : { unasked: change(unasked) }) };
}
