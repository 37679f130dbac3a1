import type { Operation, StreamReading } from '../src/dialects/operation.ts';
import { matchOperation } from '../src/match-operation.ts';

/** The operation of this API at a path. */
export function findOperation(path: string): Operation {
  const found = matchOperation('openai', 'POST', path);
  if (!found) throw new Error(`no operation at ${path}`);
  return found;
}

/** A frame's data, or its event's name and its data. */
export type Frame = object | string | { event: string; data: object };

/** Pushes frames as they come off the wire. */
export function readStream(operation: Operation, ...frames: readonly Frame[]): StreamReading {
  const reader = operation.createStreamReader();
  for (const frame of frames) {
    const named = typeof frame === 'object' && 'event' in frame && 'data' in frame;
    const data = named ? frame.data : frame;
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    reader.push(named ? String(frame.event) : '', Buffer.from(text).toString('latin1'));
  }
  return reader.end();
}
