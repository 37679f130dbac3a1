/** The thread of who calls, of the provider and of the check, so that what they do is no turn of the services. */
import { parentPort } from 'node:worker_threads';
import { startFakeProvider } from '@agp/testing/providers';

export interface Call {
  url: string;
  init: { method: string; headers: Record<string, string>; body?: string };
}

/** A call, what its provider and its check answer, and the calls that others make meanwhile, one after the other. */
export interface Asked {
  call: Call;
  reply: { type: string; body: string };
  check: string;
  others: readonly Call[];
}

export interface Told {
  status: number;
  tookMs: number;
  /** The longest that another call took, and how it ended. */
  waitMs: number;
  waited: number;
}

/** In bodies of the others. */
export const small = 'somebody else';
const plain = JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });

let asked: Asked | null = null;
const isOther = (body: Buffer) => body.includes(small);
const provider = await startFakeProvider(({ body }) => ({
  headers: { 'content-type': asked === null || isOther(body) ? 'application/json' : asked.reply.type },
  body: asked === null || isOther(body) ? plain : asked.reply.body,
}));
const check = await startFakeProvider(({ body }) => ({
  headers: { 'content-type': 'application/json' },
  body: asked === null || isOther(body) ? '{"action":"allow"}' : asked.check,
}));

async function send({ url, init }: Call): Promise<{ status: number; ms: number }> {
  const start = performance.now();
  const answer = await fetch(url, init).catch(() => null);
  await answer?.arrayBuffer().catch(() => null);
  return { status: answer?.status ?? 0, ms: performance.now() - start };
}

parentPort?.on('message', (given: Asked) => void answer(given));

async function answer(given: Asked): Promise<void> {
  asked = given;
  let isDone = false;
  const own = send(given.call).finally(() => {
    isDone = true;
  });
  let longest = { status: 0, ms: 0 };
  for (let at = 0; !isDone || at < given.others.length; at += 1) {
    const other = await send(given.others[at % given.others.length] as Call);
    if (other.ms > longest.ms) longest = other;
  }
  const { status, ms } = await own;
  parentPort?.postMessage({ status, tookMs: ms, waitMs: longest.ms, waited: longest.status } satisfies Told);
}

parentPort?.postMessage({ provider: provider.url, check: check.url });
