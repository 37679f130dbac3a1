import { expect, test } from 'vitest';
import { ByteBuffer, copyInSteps } from './byte-buffer.ts';

test.each([null, 100_000, 3_000_000])(
  'a body sent in any pieces is read whole, with a declared length of %s',
  (expected) => {
    const length = expected ?? 100_000;
    const sent = Buffer.alloc(length, 'abcdefg');
    const buffer = new ByteBuffer(expected);
    for (let at = 0, size = 1; at < length; at += size, size = (size * 3) % 70_001 || 1)
      buffer.push(sent.subarray(at, at + size));
    expect(buffer.read().equals(sent)).toBe(true);
  },
);

test('a hundred thousand pieces of one byte take the memory of their bytes, and `growth` says it beforehand', () => {
  const buffer = new ByteBuffer(null);
  let taken = 0;
  for (let index = 0; index < 100_000; index += 1) {
    taken += buffer.growth(1);
    buffer.push(Buffer.from('x'));
  }
  expect(buffer.read()).toHaveLength(100_000);
  expect(taken).toBe(131_072);
  expect(buffer.read().buffer.byteLength).toBe(taken);
});

test('a body that is there at once is not copied', () => {
  const sent = Buffer.from('{"model":"gpt-4o"}');
  const buffer = new ByteBuffer(sent.length);
  expect(buffer.growth(sent.length)).toBe(sent.length);
  buffer.push(sent);
  expect(buffer.read().buffer).toBe(sent.buffer);
});

test('a large body costs what has come of it, and is not moved as it grows', () => {
  const sent = Buffer.alloc(5 * 1024 * 1024, 'abc');
  const buffer = new ByteBuffer(30 * 1024 * 1024);
  expect(buffer.growth(sent.length)).toBe(sent.length);
  buffer.push(sent);
  const { buffer: memory } = buffer.read();
  expect(buffer.growth(1)).toBe(1);
  buffer.push(sent);
  expect(buffer.read().buffer).toBe(memory);
  expect(buffer.read().equals(Buffer.concat([sent, sent]))).toBe(true);
});

test.each([0, 3, 2 * 1024 * 1024, 5_000_001])('%s bytes are copied in steps into memory of their own', (length) => {
  const bytes = Buffer.concat([Buffer.from('before'), Buffer.alloc(length, 'abcdefg')]).subarray(6);
  const steps = copyInSteps(bytes);
  let count = 1;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count += 1;
  expect(count).toBe(Math.max(1, Math.ceil(length / (2 * 1024 * 1024))));
  expect(bytes.equals(step.value)).toBe(true);
  expect(step.value.buffer.byteLength).toBe(length);
});
