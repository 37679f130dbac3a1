import { findFreePort } from '@agp/testing';
import type { Count } from './limits.ts';

/** What each part of the source has of a {@link Count}, by its name. */
export type Rooms = Map<string, Count>;

/** Node's flags for a process that is to be counted, and the address where its inspector then listens. */
export async function chooseInspector(): Promise<{ flags: string[]; inspector: string }> {
  const inspector = `127.0.0.1:${await findFreePort()}`;
  return { flags: [`--inspect=${inspector}`, '--inspect-publish-uid=http'], inspector };
}

interface HeapNode {
  callFrame: { url: string };
  selfSize: number;
  children: HeapNode[];
}

interface Coverage {
  result: { url: string; functions: { ranges: [{ count: number }] }[] }[];
}

/**
 * Counts what a process runs for a number of calls. Calls are V8's precise coverage, so that inlining hides none; bytes are
 * those of its sampling heap profiler, in a run of its own.
 *
 * @param load makes so many calls
 * @returns what one call takes, by room
 */
export async function countCalls(
  inspector: string,
  calls: number,
  load: (calls: number) => Promise<void>,
): Promise<Rooms> {
  const [target] = (await (await fetch(`http://${inspector}/json`)).json()) as [{ webSocketDebuggerUrl: string }];
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting: ((answer: unknown) => void)[] = [];
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id !== undefined) waiting[id]?.(result);
  };
  const command = <Answer>(method: string, params = {}) =>
    new Promise<Answer>((resolve) => {
      const id = waiting.push(resolve as (answer: unknown) => void) - 1;
      socket.send(JSON.stringify({ id, method, params }));
    });

  await command('HeapProfiler.enable');
  await command('HeapProfiler.startSampling', {
    samplingInterval: 2_048,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await load(calls);
  const { profile } = await command<{ profile: { head: HeapNode } }>('HeapProfiler.stopSampling');
  await command('Profiler.enable');
  await command('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await load(calls);
  const { result } = await command<Coverage>('Profiler.takePreciseCoverage');
  await command('Profiler.stopPreciseCoverage');
  await command('Profiler.disable');
  await command('HeapProfiler.disable');
  socket.close();

  const rooms: Rooms = new Map();
  const add = (url: string, name: keyof Count, value: number) => {
    const room = toRoom(url);
    const count = rooms.get(room) ?? { calls: 0, functions: 0, bytes: 0 };
    count[name] += value;
    rooms.set(room, count);
  };
  const addBytes = ({ callFrame, selfSize, children }: HeapNode) => {
    add(callFrame.url, 'bytes', selfSize / calls);
    children.forEach(addBytes);
  };
  addBytes(profile.head);
  for (const { url, functions } of result) {
    for (const { ranges } of functions) {
      add(url, 'calls', ranges[0].count / calls);
      if (ranges[0].count >= calls / 2) add(url, 'functions', 1);
    }
  }
  return rooms;
}

/** The sum of all rooms, in whole numbers. */
export function sumRooms(rooms: Rooms): Count {
  const sum = (name: keyof Count) => Math.round([...rooms.values()].reduce((total, count) => total + count[name], 0));
  return { calls: sum('calls'), functions: sum('functions'), bytes: sum('bytes') };
}

/** Where a script stands: `node`, a library, or two folders of the source. */
function toRoom(url: string): string {
  if (url === '') return 'native';
  if (url.startsWith('node:')) return 'node';
  const library = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (library !== undefined) return library;
  const path = url.replace(/.*\/(services|packages)\//, '').replace('/src/', '/');
  return path.split('/').slice(0, -1).slice(0, 3).join('/');
}
