import type { ApiError } from '@agp/core/errors';
import type { Holder } from '@agp/runtime/fairness';
import { expect, test } from 'vitest';
import { BodyMemory } from './body-memory.ts';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const proven = (agentId: string): Holder => ({ agentId, source: null });

const open = () => new BodyMemory({ maxBufferedBytes: 16 * mebibyte, maxRequestBytes: mebibyte });

/** A body that takes this much at once. @returns what it was refused with, later on */
function put(memory: BodyMemory, holder: Holder, bytes: number) {
  const refused: string[] = [];
  const claim = memory.open(holder, 0, ({ code }: ApiError) => refused.push(code));
  try {
    claim.grow(bytes);
  } catch (error) {
    claim.release();
    throw error;
  }
  return { claim, refused };
}

/** Bodies of many agents, until there is no room for one of this size. */
function fill(memory: BodyMemory, bytes: number, isComplete: boolean) {
  const bodies: ReturnType<typeof put>[] = [];
  for (let index = 0; ; index += 1) {
    try {
      const body = put(memory, proven(`filler-${index}`), bytes);
      if (isComplete) body.claim.complete();
      bodies.push(body);
    } catch {
      return bodies;
    }
  }
}

test('where there is no room, the largest body that is still on its way is given up, and not the small one', () => {
  const memory = open();
  const large = put(memory, proven('large'), 2 * mebibyte);
  const others = fill(memory, mebibyte, false);
  expect(others.length).toBeGreaterThan(5);
  const small = Array.from({ length: 200 }, (_, index) => put(memory, proven(`small-${index}`), 64 * kibibyte));
  expect(large.refused).toEqual(['proxy_overloaded']);
  expect(small.flatMap(({ refused }) => refused)).toEqual([]);
  for (const { claim } of [large, ...others, ...small]) claim.release();
  expect(memory.bytes).toBe(0);
});

test('a body that has come is not given up any more', () => {
  const memory = open();
  const bodies = fill(memory, mebibyte, true);
  expect(() => put(memory, proven('late'), 3 * mebibyte)).toThrow('proxy overloaded');
  expect(bodies.flatMap(({ refused }) => refused)).toEqual([]);
});

test('an agent that fills its share is refused itself, before any byte where it says how many come', () => {
  const memory = open();
  put(memory, proven('large'), 3 * mebibyte);
  expect(() => memory.open(proven('large'), mebibyte, () => {})).toThrow('fill its share of memory');
  expect(() => put(memory, proven('large'), mebibyte)).toThrow('fill its share of memory');
  expect(put(memory, proven('other'), mebibyte).refused).toEqual([]);
});

test('bodies whose bytes never come count as well', () => {
  const memory = open();
  let count = 0;
  expect(() => {
    for (; ; count += 1) memory.open(proven('empty'), 0, () => {});
  }).toThrow('fill its share of memory');
  expect(count).toBe(256);
});
