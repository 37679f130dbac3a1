import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, writeAnswer, writeRequest } from '@agp/testing/corpus';
import type { Handler, ReceivedRequest, Step } from '@agp/testing/providers';
import { readPayload } from '../system/read-payload.ts';
import type { System } from '../system/start-system.ts';
import { type BareRequest, openExchange } from '../wire/transparency/exchange-bytes.ts';
import { type Form, readHead } from './measure-exchange.ts';

/** What came of an exchange through the proxy. */
export interface Sent {
  recorded: Record<string, unknown>;
  /** The agent got what it was to get, and the answer broke off if the provider's did. */
  answerIsRight: boolean;
  /** The provider got what the agent sent, but for what asks for the usage of a stream. */
  requestIsRight: boolean;
}

const header = 'x-corpus-exchange';
const asksUsage = '"stream_options":{"include_usage":true}';

/** An agent that waits for bytes that do not come gives up. */
const patienceMs = 20_000;

/** What the provider gets: nothing is changed but for `stream_options`, put in at the beginning. */
function toForwarded(exchange: Exchange): Buffer {
  const { bytes = Buffer.alloc(0) } = writeRequest(exchange.request) ?? {};
  const { operation, provider } = readHead(exchange);
  const { stream, stream_options: options } = (exchange.request.body ?? {}) as Record<string, unknown>;
  const asks = operation?.usageNeedsAsking && provider.asksForUsage && stream === true && options === undefined;
  return asks ? Buffer.from(`{${asksUsage},${bytes.toString().slice(1)}`) : bytes;
}

/** Whether it is known what the agent gets: the frame of usage is taken out that it did not ask for, and a frame that is cut. */
export function canSend(exchange: Exchange): boolean {
  const { answer, isCapped, expected, request } = exchange;
  if (!answer || !expected || isCapped) return false;
  const isAsked = !toForwarded(exchange).equals(writeRequest(request)?.bytes ?? Buffer.alloc(0));
  const wire = writeAnswer(answer).bytes.toString();
  return !isAsked || answer.unasked !== undefined || (!wire.includes('"usage":') && wire.endsWith('\n\n'));
}

/** A provider for the exchanges that run, each known by its id. */
export class CorpusProvider {
  readonly #running = new Map<string, { exchange: Exchange; form: Form }>();
  readonly received = new Map<string, ReceivedRequest>();

  add(id: string, exchange: Exchange, form: Form): void {
    this.#running.set(id, { exchange, form });
  }

  readonly answer: Handler = (request) => {
    const id = request.headers[header]?.toString() ?? '';
    const running = this.#running.get(id);
    if (!running?.exchange.answer) throw new Error('an exchange that nobody makes');
    const { exchange, form } = running;
    this.received.set(id, request);
    const { answer = { status: 200 }, ends } = exchange;
    const isAsked = request.body.includes(asksUsage);
    const { contentType, bytes } = {
      ...write(exchange, id, isAsked),
      ...form,
      ...(!isAsked && form.unasked && { bytes: form.unasked }),
    };
    async function* send(): AsyncIterable<Step> {
      yield* form.pieces ?? [bytes];
      if (ends === 'cut') yield { cut: true };
      if (ends === 'left') await request.aborted;
    }
    const encoding = form.encoding === undefined ? {} : { 'content-encoding': form.encoding };
    const headers = { 'content-type': contentType, ...answer.headers, ...encoding };
    return { status: answer.status, headers, body: { steps: send() } };
  };
}

/** An answer with its own id. */
function write({ answer = { status: 200 } }: Exchange, id: string, isAsked: boolean) {
  const { contentType, bytes } = writeAnswer(answer, isAsked);
  return { contentType, bytes: bytes.includes('{id}') ? Buffer.from(bytes.toString().replaceAll('{id}', id)) : bytes };
}

/** Reads an answer to its end, or up to where its agent leaves. */
async function read(response: IncomingMessage, length: number, leaves: boolean) {
  const chunks: Buffer[] = [];
  let got = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      got += chunk.length;
      if (leaves && got >= length) break;
    }
  } catch {
    return { bytes: Buffer.concat(chunks), isBroken: true };
  }
  return { bytes: Buffer.concat(chunks), isBroken: false };
}

/** On a busy machine storage may take too long, and a proxy that cannot read it refuses: nothing has been forwarded then. */
async function ask(url: string, request: BareRequest): Promise<IncomingMessage> {
  for (let tries = 0; ; tries++) {
    const response = await openExchange(url, request, AbortSignal.timeout(patienceMs));
    if (response.headers['x-event-id'] !== undefined || tries === 5) return response;
    response.resume();
    await sleep(500);
  }
}

/** Makes an exchange through the real proxy, and waits for its record. @param form of the answer's bytes, in place of its own */
export async function sendExchange(
  system: System,
  provider: CorpusProvider,
  exchange: Exchange,
  form: Form = {},
): Promise<Sent> {
  const id = randomUUID();
  provider.add(id, exchange, form);
  const { request, ends } = exchange;
  const sent = writeRequest(request);
  const response = await ask(system.proxies[0]?.url ?? '', {
    method: request.method,
    target: `/${request.provider}${request.path.replace('{id}', id)}`,
    headers: [
      ...['X-Agent-Name', 'corpus', 'X-Session-Id', `ses_${id}`, header, id],
      ...(sent ? ['Content-Type', sent.contentType] : []),
    ],
    ...(sent && { body: sent.bytes }),
  });
  const agentAsks = sent?.bytes.includes(asksUsage) ?? false;
  const wanted =
    (agentAsks ? undefined : form.unasked) ??
    form.bytes ??
    write(exchange, id, agentAsks || form.encoding !== undefined).bytes;
  const { bytes, isBroken } = await read(response, wanted.length, ends === 'left');
  return {
    recorded: await readPayload(system, `ses_${id}`),
    answerIsRight: bytes.equals(wanted) && isBroken === (ends === 'cut'),
    requestIsRight: provider.received.get(id)?.body.equals(toForwarded(exchange)) ?? false,
  };
}
