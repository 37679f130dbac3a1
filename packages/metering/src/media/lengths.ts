import { constants, inflateSync } from 'node:zlib';

const page = /\/Type\s*\/Page(?![A-Za-z])/g;

/** `Type` and `Page` may be written with letters as numbers. */
const escaped = /\/(?:[TP][a-z]{0,2})?#[4-7][\dA-Fa-f]/;

/** No provider reads more pages of a request. */
const maxPages = 10_000;

/** A page of a scanned book has fewer bytes. */
const mostPageBytes = 4 * 1024 * 1024;

/** Objects may be packed; so many packs of a file are opened, each of so many bytes, and all to so many. */
const most = { packs: 256, pack: 256 * 1024, unpacked: 4 * 1024 * 1024 };

function countIn(text: string): number {
  let pages = 0;
  for (const _ of text.matchAll(page)) if (++pages === maxPages) break;
  return pages;
}

/** Null for what is broken, or unpacks to more than is wanted. */
function unpack(bytes: Buffer, maxOutputLength: number): string | null {
  try {
    return inflateSync(bytes, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1');
  } catch {
    return null;
  }
}

/** The pages of a PDF, with those of older versions of it; null if none is found, or not all can be. */
export function countPages(bytes: Buffer): number | null {
  const text = bytes.toString('latin1');
  let pages = countIn(text);
  let left = most.unpacked;
  let packs = 0;
  for (let at = bytes.indexOf('/ObjStm'); at >= 0; at = bytes.indexOf('/ObjStm', at + 7)) {
    if (++packs > most.packs) return null;
    const head = /stream\r?\n/.exec(bytes.toString('latin1', at, at + 512));
    if (head === null) continue;
    const start = at + head.index + head[0].length;
    const objects = unpack(bytes.subarray(start, start + most.pack), left);
    if (objects === null) return null;
    left -= objects.length;
    pages += countIn(objects);
    if (left <= 0) return null;
  }
  if (pages === 0 || escaped.test(text)) return null;
  return Math.max(pages, Math.ceil(bytes.length / mostPageBytes));
}

/** Raw sound in the best quality that is common, 48 kHz in stereo, has so many bytes a second. */
const mostSoundBytes = 192_000;

/** Film in the best quality that is sent along has so many bytes a second: 20 Mbit. */
const mostFilmBytes = 2_500_000;

/** The duration of WAV, and of MP4 and its kin, in seconds; null if it is not told. */
export function readSeconds(bytes: Buffer): number | null {
  if (bytes.length > 44 && bytes.toString('latin1', 0, 4) === 'RIFF') {
    const rate = bytes.readUInt32LE(28);
    return rate > 0 ? bytes.length / Math.min(rate, mostSoundBytes) : null;
  }
  const at = bytes.indexOf('mvhd');
  if (at < 0 || bytes.length < at + 36) return null;
  const isLong = bytes[at + 4] === 1;
  const scale = bytes.readUInt32BE(at + (isLong ? 24 : 16));
  const length = isLong ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20);
  // What a file says of itself is believed as far as its bytes allow.
  return scale > 0 && length > 0 ? Math.max(length / scale, bytes.length / mostFilmBytes) : null;
}
