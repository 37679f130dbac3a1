import type { lookup } from 'node:dns';
import type { Tested } from '@agp/alerts';
import type { Egress } from '@agp/runtime/egress';
import { guardConnections } from '@agp/runtime/guard';
import { describeError } from '@agp/runtime/guarded-reader';
import { Agent, type Dispatcher, request } from 'undici';
import { exchangeMs, maxAnswerBytes } from '../../limits.ts';

/** A message as an HTTP receiver takes it. */
export interface Post {
  url: string;
  headers?: Record<string, string>;
  /** JSON. */
  body: string;
}

/** What a receiver made of a message. */
export interface Outcome extends Tested {
  /** How long it asked not to be asked again, in milliseconds. */
  waitMs: number | null;
  /** It said that it will take none any more. */
  isGone: boolean;
}

export const failed = (error: string, status: number | null = null): Outcome => ({
  ...{ delivered: false, status, error, waitMs: null, isGone: false },
});

const longestWaitMs = 3_600_000;
const gone = 410;

/** The header Retry-After: seconds, or a date. At most an hour; null if it says neither. */
export function readRetryAfter(text: string, now = Date.now()): number | null {
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), longestWaitMs);
}

/** The start of an answer; what hangs or breaks off after its head is left. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxAnswerBytes) break;
    }
  } catch {}
  return Buffer.concat(chunks).toString('utf8', 0, maxAnswerBytes);
}

/** Of a failure, what its receiver says of it in a line; pages of HTML say nothing. */
const saying = (text: string) => (text.trimStart().startsWith('<') ? '' : text.trim().replaceAll(/\s+/g, ' '));

function judge(status: number, retryAfter: string | undefined, text: string): Outcome {
  if (status >= 200 && status < 300) return { ...failed('', status), delivered: true, error: null };
  const isRedirect = status >= 300 && status < 400;
  const said = isRedirect ? 'redirects are not followed' : saying(text);
  return {
    ...failed(`HTTP ${status}${said === '' ? '' : `: ${said}`}`, status),
    ...{ waitMs: retryAfter === undefined ? null : readRetryAfter(retryAfter), isGone: status === gone },
  };
}

/** Sends messages by HTTP, each by a connection of its own, to addresses that the guard lets through. */
export class Poster {
  readonly #agent: Agent;

  constructor(allowedHosts: readonly string[], egress: Egress, look?: typeof lookup) {
    const guard = { allowedHosts, setting: 'NOTIFICATION_ALLOWED_HOSTS', timeoutMs: exchangeMs, egress };
    this.#agent = new Agent({ connect: guardConnections(guard, look), pipelining: 0 });
  }

  /** Never rejects, and follows no redirect. @param signal ends it, if it ends not by itself */
  async post({ url, headers, body }: Post, signal: AbortSignal): Promise<Outcome> {
    try {
      const answer = await request(url, {
        ...{ method: 'POST', body, signal, dispatcher: this.#agent },
        headers: { 'content-type': 'application/json', 'user-agent': 'agent-governance-proxy', ...headers },
      });
      const text = await readStart(answer.body);
      return judge(answer.statusCode, [answer.headers['retry-after']].flat()[0], text);
    } catch (error) {
      return failed(signal.aborted ? `no answer within ${exchangeMs / 1_000} s` : describeError(error as Error));
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
