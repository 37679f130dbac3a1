import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { countPages, readSeconds } from './lengths.ts';
import { readPixels } from './pixels.ts';

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat([...parts.map((part) => Buffer.from(part as string, 'latin1')), Buffer.alloc(64)]);

test.each<[string, Buffer, [width: number, height: number] | null]>([
  ['PNG', bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 7, 128, 0, 0, 4, 56]), [1_920, 1_080]],
  ['GIF', bytes('GIF89a', [0x40, 1, 0xf0, 0]), [320, 240]],
  [
    'JPEG behind what a camera tells',
    bytes('\xff\xd8\xff\xe1', [0, 8], 'Exif\0\0', '\xff\xff\xdb', [0, 3, 0], '\xff\xc2', [0, 17, 8, 4, 56, 7, 128]),
    [1_920, 1_080],
  ],
  ['WebP', bytes('RIFF\0\0\0\0WEBPVP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a], [0x80, 7, 0x38, 4]), [1_920, 1_080]],
  ['lossless WebP', bytes('RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f', [0x7f, 0xc7, 0x0d, 1]), [1_920, 1_080]],
  ['WebP with more', bytes('RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0', [0x7f, 7, 0], [0x37, 4, 0]), [1_920, 1_080]],
  ['a JPEG that ends before it tells', bytes('\xff\xd8\xff\xe1', [0xff, 0xff]), null],
  ['a picture without pixels', bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 0, 0, 0, 0, 4, 56]), null],
  ['text', bytes('Once upon a time there was no picture at all'), null],
  ['nothing', Buffer.alloc(0), null],
])('the size of %s', (_what, given, size) => {
  expect(readPixels(given)).toEqual(size && { width: size[0], height: size[1] });
});

const packed = deflateSync('1 0 2 90 << /Type /Page /Parent 9 0 R >> << /Type/Page >> << /Type /Pages >>');
const object = '<< /Type /ObjStm /N 3 /First 9 /Filter /FlateDecode >>\nstream\r\n';

test('pages of a PDF, in the open and packed', () => {
  expect(
    countPages(bytes('%PDF-1.4\n<< /Type /Page >> << /Type/Page/Parent 1 0 R>> << /Type /Pages /Count 2 >>')),
  ).toBe(2);
  expect(countPages(Buffer.concat([bytes('%PDF-1.7\n', object), packed, bytes('\nendstream')]))).toBeNull();
  const whole = [Buffer.from(`%PDF-1.7\n${object}`), packed, Buffer.from('\nendstream\nendobj')];
  expect(countPages(Buffer.concat(whole))).toBe(2);
  expect(countPages(bytes('%PDF-1.7 encrypted'))).toBeNull();
});

test('a file of nothing but zeros that unpack to gigabytes takes no more than its share', () => {
  const bomb = deflateSync(Buffer.alloc(64 * 1_048_576));
  const file = Buffer.concat(
    Array.from({ length: 40 }, () => [Buffer.from(object), bomb, Buffer.from('endstream')]).flat(),
  );
  expect(countPages(file)).toBeNull();
});

test('seconds of sound and video', () => {
  const wav = Buffer.alloc(32_000 * 3);
  wav.write('RIFF....WAVEfmt ', 'latin1');
  wav.writeUInt32LE(32_000, 28);
  expect(readSeconds(wav)).toBe(3);
  const film = bytes(
    '....ftypmp42....moov....mvhd',
    [0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 0],
    [0, 0, 3, 232],
    [0, 0, 78, 32],
  );
  expect(readSeconds(film)).toBe(20);
  const long = bytes('mvhd', [1, 0, 0, 0], new Array<number>(16).fill(0), [0, 0, 3, 232], [0, 0, 0, 0, 0, 0, 78, 32]);
  expect(readSeconds(long)).toBe(20);
  expect(readSeconds(bytes('ID3'))).toBeNull();
});

test('what a file says of itself is believed as far as its bytes allow', () => {
  const film = Buffer.alloc(25_000_000);
  film.write('....ftypmp42....moov....mvhd', 'latin1');
  film.writeUInt32BE(1_000_000, 40);
  film.writeUInt32BE(1, 44);
  expect(readSeconds(film)).toBe(10);
  const scanned = Buffer.alloc(40 * 1_048_576);
  scanned.write('%PDF-1.4\n<< /Type /Page >>', 'latin1');
  expect(countPages(scanned)).toBe(10);
  expect(countPages(bytes('%PDF-1.4\n<< /Type /Page >> << /T#79pe /Page >>'))).toBeNull();
  expect(countPages(bytes('%PDF-1.4\n<< /Type /Page >> << /Type /#50age >>'))).toBeNull();
  expect(countPages(bytes('%PDF-1.4\n<< /Type /Page >> << /Title /#9a >> stream /#'))).toBe(1);
});

test('a file of many packs, and one that cannot be opened, tell no number of pages', () => {
  const one = [Buffer.from(object), packed, Buffer.from('\nendstream')];
  expect(countPages(Buffer.concat(Array(256).fill(one).flat()))).toBe(512);
  expect(countPages(Buffer.concat(Array(257).fill(one).flat()))).toBeNull();
  expect(countPages(Buffer.concat([...one, Buffer.from(`${object}secret`)]))).toBeNull();
  expect(countPages(Buffer.from('/ObjStm'.repeat(1_000_000)))).toBeNull();
});
