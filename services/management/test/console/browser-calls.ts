import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { TestManagement } from '../support/start-test-management.ts';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: { error?: string } & Record<string, unknown>;
  text: string;
}

export interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string | string[] | undefined>;
  body?: unknown;
}

/** Sends exactly these headers, `Host`, `Origin` and `Sec-Fetch-Site` too. */
export async function send(
  { service }: Pick<TestManagement, 'service'>,
  { method = 'GET', path, headers, body }: Sent,
): Promise<Answer> {
  const { hostname, port } = new URL(service.url);
  const bytes = body === undefined ? undefined : JSON.stringify(body);
  const given = Object.entries({ ...(bytes && { 'content-type': 'application/json' }), ...headers });
  const sent = Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Record<string, string>;
  const call = httpRequest({ hostname, port, method, path, headers: sent }).end(bytes);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  const isJson = /json/.test(answer.headers['content-type'] ?? '') && text !== '';
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text,
    body: isJson ? (JSON.parse(text) as Answer['body']) : {},
  };
}

/** What a browser does for our page: a cookie, and the headers about where a request comes from. */
export class BrowserCalls {
  readonly #management: Pick<TestManagement, 'service'>;
  cookie: string | undefined;
  /** As the address line has it. */
  host: string;
  scheme = 'http';

  constructor(management: Pick<TestManagement, 'service'>, host = new URL(management.service.url).host) {
    this.#management = management;
    this.host = host;
  }

  get headers(): Record<string, string | undefined> {
    return { host: this.host, cookie: this.cookie, 'sec-fetch-site': 'same-origin' };
  }

  /** @param init headers replace those of a browser; undefined leaves one out */
  async call(path: string, init: Omit<Sent, 'path'> = {}): Promise<Answer> {
    const isChange = init.method !== undefined && init.method !== 'GET';
    const own = { ...this.headers, ...(isChange && { origin: `${this.scheme}://${this.host}` }) };
    const answer = await send(this.#management, { ...init, path, headers: { ...own, ...init.headers } });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = line.split(';');
      this.cookie = /Max-Age=0/.test(line) ? undefined : pair;
    }
    return answer;
  }

  signIn(body: { api_key: string } | { code: string }, init: Omit<Sent, 'path'> = {}): Promise<Answer> {
    return this.call('/console/session', { method: 'POST', body, ...init });
  }
}
