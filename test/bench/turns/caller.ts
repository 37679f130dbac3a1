/** The thread of who calls, of the provider and of the check, so that what they do is no turn of the services. */
import { parentPort } from 'node:worker_threads';
import { startFakeProvider } from '@agp/testing/providers';
import { listInputs } from './list-inputs.ts';

export interface Call {
  url: string;
  init: { method: string; headers: Record<string, string>; body?: string };
}

/** A call and those that others make meanwhile, one after the other. */
export interface Asked {
  call: Call;
  /** The call's body, and what its provider and its check answer, are those of this input. */
  input: number | null;
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
const json = { type: 'application/json', body: '{}' };
let reply = json;
let checkReply = '';
const isOther = (body: Buffer) => body.includes(small);
const provider = await startFakeProvider(({ body }) => ({
  headers: { 'content-type': isOther(body) ? json.type : reply.type },
  body: isOther(body) ? plain : reply.body,
}));
const check = await startFakeProvider(({ body }) => ({
  headers: { 'content-type': json.type },
  body: isOther(body) ? '{"action":"allow"}' : checkReply,
}));
const inputs = listInputs(`${check.url}/`);
const toText = (text: string | (() => string)) => (typeof text === 'function' ? text() : text);

function take(given: Asked): void {
  const input = given.input === null ? undefined : inputs[given.input];
  const body = input?.body === undefined ? given.call.init.body : toText(input.body);
  asked = { ...given, call: { ...given.call, init: { ...given.call.init, ...(body !== undefined && { body }) } } };
  reply = input?.reply ? { type: input.reply.type, body: toText(input.reply.body) } : json;
  checkReply = input?.check ?? '{"action":"allow"}';
}

async function send({ url, init }: Call): Promise<{ status: number; ms: number }> {
  const start = performance.now();
  const answer = await fetch(url, init).catch(() => null);
  await answer?.arrayBuffer().catch(() => null);
  return { status: answer?.status ?? 0, ms: performance.now() - start };
}

/** Bodies are made before the word to go. */
parentPort?.on('message', (given: Asked | 'go') => {
  if (given !== 'go') {
    take(given);
    parentPort?.postMessage('ready');
  } else if (asked !== null) void answer(asked);
});

async function answer(given: Asked): Promise<void> {
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
