import type { z } from 'zod';
import { ApiFailure } from './cli-error.ts';
import { parseAnswer } from './parse-answer.ts';
import type { Connection } from './read-connection.ts';
import { readFailure } from './read-failure.ts';

/** A success, parsed and as the JSON text that was received. */
export interface Answer<Data> {
  data: Data;
  text: string;
  /** Path of the next page, from the `Link` header; null on the last. */
  next: string | null;
  /** When the server answered by its own clock, in milliseconds since 1970. */
  answeredAt: number;
}

/**
 * A client of the management API. Calls reject with ApiFailure where the API refused or did not answer, and with CliError where the
 * answer does not match the contract.
 */
export interface Api {
  /** Without a slash at the end. */
  readonly url: string;
  get<Data>(path: string, schema: z.ZodType<Data>): Promise<Answer<Data>>;
  send<Data>(method: 'POST' | 'PUT', path: string, body: unknown, schema: z.ZodType<Data>): Promise<Answer<Data>>;
  delete(path: string): Promise<void>;
  /** Opens an answer that is read as it comes; resolves when its headers have arrived. */
  open(path: string, accept: string, signal?: AbortSignal): Promise<Response>;
}

/** Path of the next page of a list, from the `Link` header; null on the last. */
export function readNext({ headers }: Response): string | null {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
}

/** How long an answer may take in all, in milliseconds. */
const timeoutMs = 120_000;

/** Connects to a management API. Redirects are not followed, so that the key is sent nowhere else. */
export function connectApi({ url, key }: Connection): Api {
  async function request(path: string, init: RequestInit): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, ...init.headers };
    const response = await fetch(url + path, { ...init, headers, redirect: 'manual' }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new ApiFailure(`Nothing answers on ${url}: start it with "npm start", or set AGP_URL.`, null);
    });
    if (!response.ok) throw await readFailure(response, `${init.method ?? 'GET'} ${url}${path}`);
    return response;
  }

  async function read(path: string, init: RequestInit): Promise<{ response: Response; text: string }> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(path, { ...init, signal });
      return { response, text: await response.text() };
    } catch (error) {
      if (error instanceof ApiFailure) throw error;
      const what = signal.aborted ? `took longer than ${timeoutMs / 1_000} seconds` : 'broke off';
      throw new ApiFailure(`The answer of ${url}${path} ${what}; try again in a moment.`, null);
    }
  }

  async function exchange<Data>(path: string, init: RequestInit, schema: z.ZodType<Data>): Promise<Answer<Data>> {
    const { response, text } = await read(path, init);
    return {
      data: parseAnswer(text, schema, `${init.method ?? 'GET'} ${url}${path}`),
      text,
      next: readNext(response),
      answeredAt: Date.parse(response.headers.get('date') ?? '') || Date.now(),
    };
  }

  return {
    url,
    get: (path, schema) => exchange(path, {}, schema),
    send: (method, path, body, schema) =>
      exchange(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }, schema),
    async delete(path) {
      await read(path, { method: 'DELETE' });
    },
    open: (path, accept, signal) => request(path, { headers: { accept }, ...(signal && { signal }) }),
  };
}
