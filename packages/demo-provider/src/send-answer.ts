import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answer.ts';
import type { Directives } from './directives.ts';

/** Waits, but not longer than the caller does. */
export async function pause(response: ServerResponse, ms: number): Promise<void> {
  if (ms <= 0 || response.destroyed) return;
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  await sleep(ms, undefined, { signal: gone.signal }).catch(() => {});
  response.off('close', leave);
}

/**
 * Sends an answer as the directives say.
 *
 * @param frameMs the pause between the frames of a stream, unless the directives say how long it takes
 */
export async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  { directives, frameMs }: { directives: Directives; frameMs: number },
): Promise<void> {
  const breaks = directives['x-demo-break'];
  if ('frames' in answer) return sendFrames(response, answer, { directives, frameMs });
  const [bytes, type] =
    'json' in answer ? [Buffer.from(JSON.stringify(answer.json)), 'application/json'] : [answer.bytes, answer.type];
  response.writeHead(200, { 'content-type': type, 'content-length': bytes.length });
  if (breaks === undefined) response.end(bytes);
  else response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}

async function sendFrames(
  response: ServerResponse,
  { frames, type = 'text/event-stream; charset=utf-8', errorFrame }: Extract<Answer, { frames: unknown }>,
  { directives, frameMs }: { directives: Directives; frameMs: number },
): Promise<void> {
  const { 'x-demo-break': breaks, 'x-demo-stream-seconds': seconds } = directives;
  const pauseMs = seconds > 0 ? (seconds * 1_000) / Math.max(1, frames.length - 1) : frameMs;
  const sent = breaks === undefined ? frames : frames.slice(0, Math.ceil(frames.length / 2));
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
  for (const [index, frame] of sent.entries()) {
    // Before each frame but the first: the stream ends with the last frame.
    if (index > 0) await pause(response, pauseMs);
    if (response.destroyed) return;
    if (!response.write(frame)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  if (breaks === 'cut') response.write('', () => response.destroy());
  else response.end(breaks === 'error' ? errorFrame : undefined);
}
