import { type IncomingMessage, request } from 'node:http';

/** A request as it goes over the wire: nothing is added to it but `Host`. */
export interface BareRequest {
  method: string;
  /** After the base URL. */
  target: string;
  /** Names and values by turns. Characters are bytes. */
  headers?: string[];
  body?: Buffer;
}

/** An answer as it came over the wire, without its chunking. */
export interface BareAnswer {
  status: number;
  statusMessage: string;
  /** Names and values by turns, in their order and spelling. */
  rawHeaders: string[];
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** The connection broke before the answer was whole. */
  broken: boolean;
}

/**
 * Sends a request and waits for the head of the answer. Rejects when there is none.
 *
 * @param signal breaks the connection, whatever it is doing
 */
export function openExchange(
  baseUrl: string,
  { method, target, headers = [], body }: BareRequest,
  signal: AbortSignal | undefined = undefined,
): Promise<IncomingMessage> {
  const { hostname, port, pathname, host } = new URL(baseUrl);
  const path = pathname.replace(/\/$/, '') + target;
  return new Promise((resolve, reject) => {
    const length = body ? ['Content-Length', String(body.length)] : [];
    const all = ['Host', host, ...headers, ...length];
    const sent = request({ hostname, port, method, path, headers: all, agent: false, signal });
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Reads what is left of an answer. */
export async function readAnswer(response: IncomingMessage): Promise<BareAnswer> {
  const chunks: Buffer[] = [];
  let broken = false;
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch {
    broken = true;
  }
  const { statusCode, statusMessage, rawHeaders, headers } = response;
  return {
    status: statusCode ?? 0,
    statusMessage: statusMessage ?? '',
    rawHeaders,
    headers,
    body: Buffer.concat(chunks),
    broken,
  };
}

export async function exchangeBytes(baseUrl: string, bare: BareRequest): Promise<BareAnswer> {
  return readAnswer(await openExchange(baseUrl, bare));
}

/** Names and values by turns as pairs, without those that belong to a connection or are named here. */
export function toPairs(rawHeaders: readonly string[], without: readonly string[] = []): [string, string][] {
  const left = ['host', 'connection', 'keep-alive', 'transfer-encoding', ...without];
  const pairs: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!left.includes(name.toLowerCase())) pairs.push([name, value]);
  }
  return pairs;
}
