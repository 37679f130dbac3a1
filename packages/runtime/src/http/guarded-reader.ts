import type { lookup } from 'node:dns';
import { parseJson } from '@agp/core/json';
import { Agent, request } from 'undici';
import { type Guard, guardConnections } from './guard.ts';

/** Reads JSON of other people's servers, of guarded addresses, and follows no redirect. No setting of a proxy counts. */
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
      const { statusCode, body } = await request(url, { signal, dispatcher: this.#agent, headers });
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
    } catch (error) {
      throw new Error(`${URL.parse(url)?.host}: ${this.#describe(error as Error & { code?: string }, signal)}`);
    }
  }

  #describe(error: Error & { code?: string }, signal: AbortSignal): string {
    if (signal.aborted) return `no answer within ${this.#guard.timeoutMs / 1_000} s`;
    const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
    return error.message || first?.message || error.code || error.name;
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
