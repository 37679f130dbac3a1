import type { lookup } from 'node:dns';
import { parseJson } from '@agp/core/json';
import { Agent, type Dispatcher, request } from 'undici';
import { type Guard, guardConnections } from './guard.ts';

/** What is wrong with a connection, in words. */
export function describeError(error: Error & { code?: string }): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return error.message || first?.message || error.code || error.name;
}

/** @throws Error not 200, more bytes than `max`, no JSON, or what breaks off */
export async function readAnswer({ statusCode, body }: Dispatcher.ResponseData, max: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving early breaks the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (statusCode !== 200 || size > max) break;
  }
  if (statusCode >= 300 && statusCode < 400) throw new Error(`HTTP ${statusCode}: redirects are not followed`);
  if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
  if (size > max) throw new Error(`answers with more than ${max} bytes`);
  return parseJson(Buffer.concat(chunks).toString());
}

/** Reads JSON of other people's servers, of guarded addresses, and follows no redirect. */
export class GuardedReader {
  readonly #agent: Agent;
  readonly #guard: Guard;

  constructor(guard: Guard, look?: typeof lookup) {
    this.#guard = guard;
    this.#agent = new Agent({ connect: guardConnections(guard, look), pipelining: 0 });
  }

  /** @throws Error that names the host: not reached in time, not 200, more bytes than `max`, or no JSON */
  async read(url: string, max: number): Promise<unknown> {
    const signal = AbortSignal.timeout(this.#guard.timeoutMs);
    try {
      const headers = { accept: 'application/json', 'user-agent': 'agent-governance-proxy' };
      const answer = await request(url, { signal, dispatcher: this.#agent, headers });
      return await readAnswer(answer, max);
    } catch (error) {
      const late = `no answer within ${this.#guard.timeoutMs / 1_000} s`;
      throw new Error(`${URL.parse(url)?.host}: ${signal.aborted ? late : describeError(error as Error)}`);
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
