import { setTimeout as sleep } from 'node:timers/promises';
import type { Handler } from '@agp/testing/providers';
import { answerCanned } from '@agp/testing/providers';
import { Agent, request } from 'undici';
import { connectOpenai } from '../../wire/sdks/connect.ts';

export const requestsPerSecond = 200;
const warmUpMs = 2_000;

/** Every fortieth request is a stream, one in four goes through the official client, and one in five has a connection of its own. */
const streamEvery = 40;
const clientEvery = 4;
const connectEvery = 5;
const agentCount = 20;

/** A stream says how many words it wants by the name of its model: 25 to 50. */
const wordsOf = (index: number) => 25 + (index % 26);

export interface SentRequest {
  kind: 'kept connection' | 'new connection' | 'client' | 'stream';
  /** From `X-Event-Id`; null where no answer came. */
  eventId: string | null;
  /** What went wrong, as a caller sees it. */
  failure: string | null;
  /** When it ended, in milliseconds since 1970. */
  endedAt: number;
}

/** Answers requests of {@link sendLoad}. */
export function answerLoad(pauseMs: number): Handler {
  return (received, index) => {
    const words = Number(/"words-(\d+)"/.exec(received.body.toString())?.[1] ?? 3);
    const figures = { words: Array.from({ length: words }, (_, word) => ` word${word}`), pauseMs };
    return answerCanned(words > 3 ? figures : {})(received, index);
  };
}

const describe = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause === undefined ? message : `${message}: ${describe(cause)}`;
};

/** Sends the mix at a steady rate, whatever the answers take, until it is told to stop. */
export async function sendLoad(
  url: string,
  signal: AbortSignal,
  perSecond: number = requestsPerSecond,
  onEnd: (request: SentRequest) => void = () => {},
): Promise<SentRequest[]> {
  await using kept = new Connections(url, { connections: 20, pipelining: 1, keepAliveTimeout: 60_000 });
  await using fresh = new Connections(url, { pipelining: 0 });
  const sent: Promise<SentRequest>[] = [];
  const started = performance.now();
  while (!signal.aborted) {
    const ms = performance.now() - started;
    // A tenth of it first, while everything is cold.
    const due = ((Math.max(0, ms - warmUpMs) + Math.min(ms, warmUpMs) / 10) / 1_000) * perSecond;
    while (sent.length < due) {
      const sending = sendOne(url, { kept, fresh }, sent.length);
      void sending.then(onEnd);
      sent.push(sending);
    }
    await sleep(5);
  }
  return await Promise.all(sent);
}

function chooseKind(index: number): SentRequest['kind'] {
  if (index % streamEvery === 0) return 'stream';
  if (index % clientEvery === 1) return 'client';
  return index % connectEvery === 0 ? 'new connection' : 'kept connection';
}

interface Ways {
  kept: Connections;
  fresh: Connections;
}

async function sendOne(url: string, { kept, fresh }: Ways, index: number): Promise<SentRequest> {
  const kind = chooseKind(index);
  const request: SentRequest = { kind, eventId: null, failure: null, endedAt: 0 };
  const noteEvent = (id: string | null) => {
    request.eventId = id;
  };
  const agentName = `agent-${index % agentCount}`;
  try {
    if (kind === 'stream') request.failure = await readStream(url, agentName, wordsOf(index / streamEvery), noteEvent);
    else if (kind === 'client') request.failure = await askClient(url, agentName, noteEvent);
    else request.failure = await (kind === 'new connection' ? fresh : kept).ask(agentName, noteEvent);
  } catch (error) {
    request.failure = describe(error);
  }
  request.endedAt = Date.now();
  return request;
}

type NoteEvent = (id: string | null) => void;
const messages = [{ role: 'user' as const, content: 'hello' }];

/** Every word must come, and the end. @returns what was missing */
async function readStream(url: string, agentName: string, words: number, noteEvent: NoteEvent): Promise<string | null> {
  const client = connectOpenai({ baseUrl: `${url}/openai`, headers: { 'x-agent-name': agentName } });
  const { data, response } = await client.chat.completions
    .create({ model: `words-${words}`, messages, stream: true })
    .withResponse();
  noteEvent(response.headers.get('x-event-id'));
  let text = '';
  let end: string | null = null;
  for await (const { choices } of data) {
    text += choices[0]?.delta.content ?? '';
    end ??= choices[0]?.finish_reason ?? null;
  }
  const received = text.split(' word').length - 1;
  return received === words && end === 'stop' ? null : `${received} of ${words} words, and the end ${end}`;
}

async function askClient(url: string, agentName: string, noteEvent: NoteEvent): Promise<string | null> {
  const client = connectOpenai({ baseUrl: `${url}/openai`, headers: { 'x-agent-name': agentName } });
  const { data, response } = await client.chat.completions.create({ model: 'gpt-4o', messages }).withResponse();
  noteEvent(response.headers.get('x-event-id'));
  return data.choices[0]?.message.content ? null : 'an empty answer';
}

/** A client whose connections are kept, or made for each request, as its options say. */
class Connections implements AsyncDisposable {
  readonly #url: string;
  readonly #dispatcher: Agent;

  constructor(url: string, options: Agent.Options) {
    this.#url = url;
    this.#dispatcher = new Agent(options);
  }

  async ask(agentName: string, noteEvent: NoteEvent): Promise<string | null> {
    const { statusCode, headers, body } = await request(`${this.#url}/openai/v1/chat/completions`, {
      method: 'POST',
      dispatcher: this.#dispatcher,
      headers: { 'content-type': 'application/json', 'x-agent-name': agentName },
      body: JSON.stringify({ model: 'gpt-4o', messages }),
    });
    const text = await body.text();
    noteEvent(headers['x-event-id']?.toString() ?? null);
    return statusCode === 200 ? null : `${statusCode} ${text}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.destroy();
  }
}
