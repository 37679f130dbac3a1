import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeBody } from './decode-body.ts';

const megabyte = 1024 * 1024;
const bomb = Buffer.alloc(32 * megabyte, 'a');

test.each([
  ['gzip', gzipSync(bomb)],
  ['br', brotliCompressSync(bomb)],
  ['zstd', zstdCompressSync(bomb)],
  ['deflate', deflateSync(bomb)],
  ['deflate', deflateRawSync(bomb)],
])('memory for a body in %s is asked for before it is taken', async (encoding, bytes) => {
  let asked = 0;
  const full = new Error('full');
  const grow = (more: number) => {
    asked += more;
    if (asked > megabyte) throw full;
  };
  await expect(decodeBody(bytes, encoding, bomb.length, grow)).rejects.toBe(full);
  expect(asked).toBeLessThanOrEqual(2 * megabyte);
  let whole = 0;
  const decoded = await decodeBody(bytes, encoding, bomb.length, (more) => {
    whole += more;
  });
  expect(decoded?.equals(bomb)).toBe(true);
  expect(whole).toBe(bomb.length);
  expect(await decodeBody(bytes, encoding, bomb.length - 1, () => {})).toBeNull();
});

test.each([
  ['zstd', zstdCompressSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
] as const)('a body in %s with something behind its end is not decoded', async (encoding, compress) => {
  const twice = Buffer.concat([compress('{"model":"a"}'), compress('{"model":"b"}')]);
  expect(await decodeBody(twice, encoding, 1_000, () => {})).toBeNull();
  expect((await decodeBody(compress('{"model":"a"}'), encoding, 1_000, () => {}))?.toString()).toBe('{"model":"a"}');
});

test('a body in zstd whose first bytes ask for more than 8 MiB of memory is not decoded', async () => {
  const compress = (windowLog: number) =>
    zstdCompressSync(bomb, { params: { [constants.ZSTD_c_windowLog]: windowLog } });
  expect(await decodeBody(compress(23), 'zstd', bomb.length, () => {})).toHaveLength(bomb.length);
  expect(await decodeBody(compress(24), 'zstd', bomb.length, () => {})).toBeNull();
});
