import { expect, test } from 'vitest';
import { type Frame, nameOwner, type Sample } from './cpu-profile.ts';
import { findBlocker, findBusyStretches } from './find-blockers.ts';

let lastId = 0;
const frame = (name: string, url: string, parent: Frame | null): Frame => ({
  id: ++lastId,
  name,
  url,
  line: 1,
  parent,
});
const root = frame('(root)', '', null);
const idle = frame('(idle)', '', root);
const collector = frame('(garbage collector)', '', root);
const ticks = frame('processTicksAndRejections', 'node:internal/process/task_queues', root);
const pipeline = frame('handleRequest', 'file:///x/services/proxy/src/pipeline.ts', ticks);
const scan = frame('findPii', 'file:///x/packages/pii/src/find-pii.ts', pipeline);
const exec = frame('exec', '', scan);
const pool = frame('query', 'file:///x/node_modules/.pnpm/pg@8/node_modules/pg/lib/client.js', ticks);

const run = (...parts: [Frame, number][]): Sample[] => parts.map(([each, ms]) => ({ frame: each, ms }));

test('whoever had half of a long stretch is named, down to the function that did it', () => {
  const samples = run([idle, 5], [pipeline, 1], [exec, 3], [pool, 1], [idle, 1], [pool, 1], [idle, 9], [collector, 4]);
  const stretches = findBusyStretches(samples, 2);
  expect(stretches.map(({ ms }) => ms)).toEqual([5, 4]);
  expect(stretches.map((stretch) => findBlocker(stretch)?.name)).toEqual(['exec', '(garbage collector)']);
});

test('what only calls one piece of work after the other is not named', () => {
  const [stretch] = findBusyStretches(run([scan, 1], [pool, 1.5], [collector, 1]), 2);
  expect(stretch && findBlocker(stretch)).toBeNull();
});

test('time belongs to packages, libraries and folders of services; functions of V8 to who calls them', () => {
  expect([exec, pool, pipeline, ticks, collector].map(nameOwner)).toEqual([
    'packages/pii',
    'pg',
    'services/proxy',
    'Node: other',
    '(garbage collector)',
  ]);
});
