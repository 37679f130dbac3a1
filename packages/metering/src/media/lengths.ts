import { inflateSync } from 'node:zlib';

/** Pages stand in packed objects too; so much is unpacked of one file, in bytes. */
const maxUnpacked = 4 * 1024 * 1024;

const page = /\/Type\s*\/Page(?![A-Za-z])/g;
const packed = /\/ObjStm\b[\s\S]{0,512}?stream\r?\n/g;

/** No provider reads more pages of a request. */
const maxPages = 10_000;

function countIn(text: string): number {
  let pages = 0;
  for (const _ of text.matchAll(page)) if (++pages === maxPages) break;
  return pages;
}

function unpack(bytes: Buffer, start: number, most: number): string {
  try {
    const end = bytes.indexOf('endstream', start);
    return inflateSync(bytes.subarray(start, end < 0 ? undefined : end), { maxOutputLength: most }).toString('latin1');
  } catch {
    return '';
  }
}

/** The pages of a PDF, with those of older versions of it; null if none is found. */
export function countPages(bytes: Buffer): number | null {
  const text = bytes.toString('latin1');
  let pages = countIn(text);
  let left = maxUnpacked;
  for (const { index, 0: head } of text.matchAll(packed)) {
    if (left <= 0) break;
    const objects = unpack(bytes, index + head.length, left);
    left -= Math.max(objects.length, 1_024);
    pages += countIn(objects);
  }
  return pages > 0 ? pages : null;
}

/** The duration of WAV, and of MP4 and its kin, in seconds; null if it is not told. */
export function readSeconds(bytes: Buffer): number | null {
  if (bytes.length > 44 && bytes.toString('latin1', 0, 4) === 'RIFF') {
    const rate = bytes.readUInt32LE(28);
    return rate > 0 ? bytes.length / rate : null;
  }
  const at = bytes.indexOf('mvhd');
  if (at < 0 || bytes.length < at + 36) return null;
  const isLong = bytes[at + 4] === 1;
  const scale = bytes.readUInt32BE(at + (isLong ? 24 : 16));
  const length = isLong ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20);
  return scale > 0 && length > 0 ? length / scale : null;
}
