import { readFileSync } from 'node:fs';

/** A function at a place of the call tree. */
export interface Frame {
  id: number;
  /** Its name, and where it is. */
  name: string;
  url: string;
  line: number;
  parent: Frame | null;
}

/** What the processor was found at, and for how long, in milliseconds. */
export interface Sample {
  frame: Frame;
  ms: number;
}

interface RawProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

/** Reads a `.cpuprofile` that V8 wrote. @returns its samples in order; each lasts until the next */
export function readCpuProfile(file: string): Sample[] {
  // Written by ourselves a moment ago.
  const { nodes, samples, timeDeltas }: RawProfile = JSON.parse(readFileSync(file, 'utf8'));
  const frames = new Map<number, Frame>();
  for (const { id, callFrame } of nodes) {
    const { functionName, url, lineNumber } = callFrame;
    frames.set(id, { id, name: functionName || '(anonymous)', url, line: lineNumber + 1, parent: null });
  }
  for (const { id, children = [] } of nodes) {
    for (const child of children) (frames.get(child) as Frame).parent = frames.get(id) as Frame;
  }
  return samples.map((id, index) => ({ frame: frames.get(id) as Frame, ms: (timeDeltas[index + 1] ?? 0) / 1_000 }));
}

/** Neither JavaScript nor a part of it: `(idle)`, `(program)`, `(garbage collector)`, `(root)`. */
export const isState = ({ name, url }: Frame) => url === '' && /^\((?!anonymous)/.test(name);

export const isIdle = ({ name, url }: Frame) => url === '' && name === '(idle)';

/** The nearest caller that is in a file: functions of V8 belong to whoever calls them. */
export function findOwner(frame: Frame): Frame {
  let owner: Frame = frame;
  while (owner.url === '' && owner.parent !== null && !isState(owner)) owner = owner.parent;
  return owner;
}

const nodeParts: [string, RegExp][] = [
  ['Node: http', /^node:_http|^node:internal\/http/],
  ['Node: sockets and streams', /^node:(?:net|stream|internal\/(?:stream|net|js_stream))/],
];

/** Whether a frame only calls pieces of work, one after the other. */
export const isDispatcher = ({ url, name }: Frame) =>
  url.startsWith('node:internal/process/') || url.startsWith('node:internal/timers') || name === 'runMicrotasks';

/** Whose code a frame is: a library, one of our packages or a folder of a service, Node, or a state as V8 names it. */
export function nameOwner(frame: Frame): string {
  const owner = findOwner(frame);
  if (owner.url === '') return isState(owner) && owner.name !== '(root)' ? owner.name : 'Node: other';
  if (owner.url.startsWith('node:'))
    return nodeParts.find(([, pattern]) => pattern.test(owner.url))?.[0] ?? 'Node: other';
  if (owner.url.startsWith('wasm:')) return "undici's parser";
  const library = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(owner.url)?.[1];
  if (library && !library.startsWith('@agp/')) return library;
  const ours = /\/(packages\/[^/]+|services\/[^/]+\/src\/(?:[^/]+(?=\/))?)/.exec(owner.url)?.[1];
  return ours?.replace('/src/', '/').replace(/\/$/, '') ?? owner.url;
}

/** `name file:line`, as short as it is clear. */
export function describeFrame(frame: Frame): string {
  const { url, line } = findOwner(frame);
  if (url === '') return frame.name;
  const file = url.replace(/^.*\/node_modules\//, '').replace(/^.*\/((?:packages|services)\/)/, '$1');
  return `${frame.name}  ${file}:${line}`;
}
