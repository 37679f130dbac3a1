import { type Dispatcher, request } from 'undici';
import type { PlannedCall } from './plan-calls.ts';
import { callHeader } from './simulate-provider.ts';

/** What the agents saw of a call. */
export interface SeenCall {
  eventId: string;
  status: number;
  /** Whether all of the answer came. */
  whole: boolean;
}

const agents = 7;

async function runCall(dispatcher: Dispatcher, proxyUrl: string, call: PlannedCall, index: number): Promise<SeenCall> {
  const { statusCode, headers, body } = await request(`${proxyUrl}${call.kind.path(call.model)}`, {
    dispatcher,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-agent-name': `reconciler-${index % agents}`,
      'x-session-id': `conversation-${Math.floor(index / 50)}`,
      [callHeader]: call.id,
    },
    body: JSON.stringify(call.body),
  });
  // The machine was too busy to read the agent's status in time; nothing has reached the provider.
  if (statusCode === 503) {
    await body.dump();
    return runCall(dispatcher, proxyUrl, call, index);
  }
  const seen = { eventId: String(headers['x-event-id']), status: statusCode };
  const leavesAfter = call.ending === 'aborted' ? call.stopAfter : Number.POSITIVE_INFINITY;
  let frames = 0;
  try {
    for await (const bytes of body) {
      frames += (bytes as Buffer).toString('latin1').split(/\n\n|,\r\n/).length - 1;
      // Leaving the loop breaks the connection.
      if (frames >= leavesAfter) return { ...seen, whole: false };
    }
    return { ...seen, whole: true };
  } catch {
    return { ...seen, whole: false };
  }
}

/** Makes all calls, so many at a time. Resolves with what was seen, by the calls' ids. */
export async function runCalls(
  dispatcher: Dispatcher,
  proxyUrl: string,
  calls: readonly PlannedCall[],
  atOnce: number,
): Promise<Map<string, SeenCall>> {
  const seen = new Map<string, SeenCall>();
  const entries = calls.entries();
  const work = async () => {
    for (const [index, call] of entries) seen.set(call.id, await runCall(dispatcher, proxyUrl, call, index));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return seen;
}
