import type { Operation, ProviderApi, StreamReading } from '../src/dialects/operation.ts';
import { Frame as WireFrame } from '../src/json/frame.ts';
import { matchOperation } from '../src/match-operation.ts';

/** The operation at a path, of OpenAI's format if no other is named. */
export function findOperation(path: string, api: ProviderApi = 'openai', method = 'POST'): Operation {
  const found = matchOperation(api, method, path);
  if (!found) throw new Error(`no operation at ${path}`);
  return found;
}

/** A frame's data, or its event's name and its data. */
export type Frame = object | string | { event: string; data: object };

/** Pushes frames as they come off the wire. */
export function readStream(operation: Operation, ...frames: readonly unknown[]): StreamReading {
  const reader = operation.createStreamReader();
  for (const frame of frames) {
    const named = typeof frame === 'object' && frame !== null && 'event' in frame && 'data' in frame ? frame : null;
    const data = named ? named.data : frame;
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    reader.push(new WireFrame(named ? String(named.event) : '', Buffer.from(text).toString('latin1')));
  }
  return reader.end();
}
