import type { EventTool } from '@agp/core/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Reads } from '../test/steps.ts';
import { nameCalled } from './declared-tools.ts';

const tool = fc.record({
  kind: fc.constantFrom('client' as const, 'hosted' as const),
  names: fc.array(fc.string({ unit: fc.constantFrom('a', 'B', 'b', '_'), minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 2,
  }),
});

/** Whether a call is of a declared tool: a hosted one is called by a part of its type, or the other way round, and never by a function's call. */
function isSame(called: EventTool, { kind, names }: EventTool): boolean {
  if (kind === 'hosted' && called.kind === 'client') return false;
  const pairs = called.names.flatMap((own) => names.map((name) => [own.toLowerCase(), name.toLowerCase()] as const));
  return pairs.some(
    ([one, other]) =>
      one === other ||
      (kind === 'hosted' && (other.startsWith(`${one}_`) || one.startsWith(`${other}_`) || one.endsWith(`_${other}`))),
  );
}

test('a called tool is each declared one whose name it may have', () => {
  fc.assert(
    fc.property(tool, fc.array(tool, { maxLength: 5 }), (called, declared) => {
      const maybe = nameCalled([called], declared).flatMap((each) => each.maybe);
      const same = declared.filter((each) => isSame(called, each));
      const named = same.map(({ kind, names }) => ({ kind, names: [...new Set([...called.names, ...names])] }));
      const sort = (tools: readonly EventTool[]) => tools.map((each) => JSON.stringify(each)).sort();
      expect(sort(maybe)).toEqual(sort(same.length === 0 ? [called] : named));
    }),
  );
});

test('declared tools are read once, however many are called and however often', () => {
  const many = (prefix: string): EventTool[] =>
    Array.from({ length: 100 }, (_, index) => ({ kind: 'client', names: [`${prefix}${index}`] }));
  const reads = new Reads();
  const declared = reads.of(many('t'));
  for (let frame = 0; frame < 10; frame += 1) nameCalled(many('t'), declared);
  expect(reads.count).toBe(100);
});
