export interface Pixels {
  width: number;
  height: number;
}

/** Segments of a JPEG that tell its size: each way of coding but for tables and arithmetic ones. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function readJpeg(bytes: Buffer): Pixels | null {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function readWebp(bytes: Buffer): Pixels | null {
  const form = bytes.toString('latin1', 12, 16);
  if (form === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (form !== 'VP8L') return null;
  const packed = bytes.readUInt32LE(21);
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
}

/** The size of a PNG, JPEG, WebP or GIF by its first bytes; null if they do not tell. */
export function readPixels(bytes: Buffer): Pixels | null {
  if (bytes.length < 30) return null;
  const start = bytes.toString('latin1', 0, 12);
  const isWebp = start.startsWith('RIFF') && start.endsWith('WEBP');
  const found = start.startsWith('\x89PNG')
    ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    : start.startsWith('GIF8')
      ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
      : start.startsWith('\xff\xd8')
        ? readJpeg(bytes)
        : isWebp
          ? readWebp(bytes)
          : null;
  return found && found.width > 0 && found.height > 0 ? found : null;
}

/** How many squares of a side cover a picture. */
export const countSquares = ({ width, height }: Pixels, side: number): number =>
  Math.ceil(width / side) * Math.ceil(height / side);

/** A picture made smaller until its longer side is no longer than this. */
export function fitLonger({ width, height }: Pixels, longest: number): Pixels {
  const share = Math.min(1, longest / Math.max(width, height));
  return { width: width * share, height: height * share };
}
