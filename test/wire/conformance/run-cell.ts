import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeReply, Handler, ReceivedRequest, Step } from '@agp/testing/providers';
import { readPayload } from '../../system/read-payload.ts';
import type { System } from '../../system/start-system.ts';
import { type BareRequest, openExchange } from '../transparency/exchange-bytes.ts';
import { contentTypes, type Form, type Row } from './cell.ts';
import type { FormedCell } from './wire-forms.ts';

/** What was seen of a call beside its record. */
export interface Seen {
  recorded: Record<string, unknown>;
  /** The agent got what it was to get, and the answer broke off if the provider's did. */
  answerIsRight: boolean;
  /** The provider got what the agent sent, but for what asks for the usage of a stream. */
  requestIsRight: boolean;
}

/** An agent that waits for bytes that do not come gives up. */
const patienceMs = 20_000;

const header = 'x-conformance-call';
const asksUsage = '"stream_options":{"include_usage":true}';

async function* send(cell: FormedCell, wire: Buffer, { aborted }: ReceivedRequest): AsyncIterable<Step> {
  // At every single byte they are divided for the reader alone, by findMisread.
  if (cell.bitByBit) for (let at = 0; at < wire.length; at += 5) yield wire.subarray(at, at + 5);
  else yield wire;
  if (cell.ends === 'cut') yield { cut: true };
  if (cell.ends === 'left') await aborted;
}

/** A provider for the cells that run, each known by its id. */
export class ConformanceProvider {
  readonly #running = new Map<string, { row: Row; cell: FormedCell }>();
  readonly received = new Map<string, ReceivedRequest>();

  add(id: string, row: Row, cell: FormedCell): void {
    this.#running.set(id, { row, cell });
  }

  readonly answer: Handler = (request): FakeReply => {
    const id = request.headers[header]?.toString() ?? '';
    const running = this.#running.get(id);
    if (!running) throw new Error('a call that nobody makes');
    const { row, cell } = running;
    this.received.set(id, request);
    const isAsked = request.body.includes(asksUsage);
    const wire = Buffer.from(isAsked ? cell.wire : (cell.unasked ?? cell.wire));
    const headers = {
      'content-type': cell.contentType ?? contentTypes[row.stream],
      ...(cell.encoding && { 'content-encoding': cell.encoding }),
    };
    return { status: cell.expected.http_status, headers, body: { steps: send(cell, wire, request) } };
  };
}

function toRequest({ body }: Row, { asks }: FormedCell): Form | null {
  if (body === undefined) return null;
  if ('bytes' in body) return body as Form;
  return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify({ ...body, ...asks })) };
}

/** Reads an answer to its end, or up to where its agent leaves. */
async function read(response: IncomingMessage, length: number, leaves: boolean) {
  const chunks: Buffer[] = [];
  let got = 0;
  let broken = false;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      got += chunk.length;
      if (leaves && got >= length) break;
    }
  } catch {
    broken = true;
  }
  return { bytes: Buffer.concat(chunks), broken };
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

/** What the provider is to get: nothing is changed but for `stream_options`, put in at the beginning. */
function toForwarded(sent: Form | null, row: Row): Buffer {
  const bytes = sent?.bytes ?? Buffer.alloc(0);
  if (!row.asksUsage) return bytes;
  return Buffer.from(`{${asksUsage},${bytes.toString().slice(1)}`);
}

/** Makes a call through the real proxy, and waits for its record. */
export async function runCell(
  system: System,
  provider: ConformanceProvider,
  row: Row,
  cell: FormedCell,
): Promise<Seen> {
  const id = randomUUID();
  provider.add(id, row, cell);
  const sent = toRequest(row, cell);
  const named = ['X-Agent-Name', 'conformance', 'X-Session-Id', `ses_${id}`, header, id];
  const request = {
    method: row.method,
    target: row.path.replace('{id}', id),
    headers: sent ? [...named, 'Content-Type', sent.contentType] : named,
    ...(sent && { body: sent.bytes }),
  };
  const response = await ask(system.proxies[0]?.url ?? '', request);
  const wire = Buffer.from(cell.unasked ?? cell.wire);
  const { bytes, broken } = await read(response, wire.length, cell.ends === 'left');
  const forwarded = provider.received.get(id)?.body ?? null;
  return {
    recorded: await readPayload(system, `ses_${id}`),
    answerIsRight: bytes.equals(wire) && broken === (cell.ends === 'cut'),
    requestIsRight: forwarded?.equals(toForwarded(sent, row)) ?? false,
  };
}
