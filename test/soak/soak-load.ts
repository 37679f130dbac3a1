import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { boundOnOutput, pricedModel } from '../control/support/send-calls.ts';

/** What became of a request, as its caller sees it. */
export interface Sent {
  /** When it was sent, on the monotonic clock in milliseconds. */
  at: number;
  ms: number;
  /** `served`, `left` by its caller, `cut`, `no connection`, `hung`, or the status and code of its refusal. */
  outcome: string;
}

const hungAfterMs = 90_000;
/** One in so many is a stream, and one in so many streams is left by its caller. */
const streamEvery = 25;
const leaveEvery = 5;
/** Requests of an agent that share a session; one in five agents names none. */
const inSession = 200;

/** The agents: most without a cap or with one that is never reached, and two that reach theirs. */
export const soakAgents = [
  ...Array.from({ length: 10 }, (_, at) => `free-${at}`),
  ...Array.from({ length: 8 }, (_, at) => `capped-${at}`),
  ...Array.from({ length: 2 }, (_, at) => `spender-${at}`),
];

/** A steady load, whatever the answers take, until it is stopped. */
export class SoakLoad {
  readonly sent: Sent[] = [];
  /** Ids of events that callers were given. */
  readonly eventIds = new Set<string>();
  readonly #url: string;
  readonly #perSecond: number;
  readonly #dispatcher = new Agent({ connections: 200, headersTimeout: hungAfterMs, bodyTimeout: hungAfterMs });
  readonly #running = new Set<Promise<void>>();
  #count = 0;

  constructor(url: string, perSecond: number) {
    this.#url = url;
    this.#perSecond = perSecond;
  }

  /** Resolves when the last request has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const started = performance.now();
    while (!signal.aborted) {
      const due = ((performance.now() - started) / 1_000) * this.#perSecond;
      while (this.#count < due) this.#send(this.#count++);
      await sleep(5);
    }
    await Promise.all(this.#running);
    await this.#dispatcher.destroy();
  }

  /** One request outside the load, of an agent of its own. */
  async probe(url: string): Promise<boolean> {
    const sent = await this.#ask(url, 'prober', 1);
    return sent === 'served';
  }

  #send(index: number): void {
    const at = performance.now();
    const sending = this.#ask(this.#url, soakAgents[index % soakAgents.length] ?? '', index)
      .catch(toOutcome)
      .then((outcome) => {
        this.sent.push({ at, ms: performance.now() - at, outcome });
        this.#running.delete(sending);
      });
    this.#running.add(sending);
  }

  async #ask(url: string, agent: string, index: number): Promise<string> {
    const round = Math.floor(index / soakAgents.length);
    const isStream = round % streamEvery === index % soakAgents.length;
    const leaves = isStream && index % leaveEvery === 0;
    const session = index % 5 === 4 ? {} : { 'x-session-id': `soak-${Math.floor(round / inSession)}` };
    const { statusCode, headers, body } = await request(`${url}/openai/v1/chat/completions`, {
      method: 'POST',
      dispatcher: this.#dispatcher,
      headers: { 'content-type': 'application/json', 'x-agent-name': agent, ...session },
      body: JSON.stringify({
        model: pricedModel,
        max_tokens: boundOnOutput,
        stream: isStream,
        messages: [{ role: 'user', content: 'Tell me something.' }],
      }),
    });
    const eventId = headers['x-event-id'];
    if (typeof eventId === 'string') this.eventIds.add(eventId);
    let text = '';
    try {
      for await (const piece of body.setEncoding('utf8')) {
        text += piece;
        if (leaves && text.includes(' word3')) return 'left';
      }
    } catch (error) {
      return (error as { code?: string }).code === 'UND_ERR_BODY_TIMEOUT' ? 'hung' : 'cut';
    }
    if (statusCode !== 200) return `${statusCode} ${headers['x-error-code'] ?? text.slice(0, 100)}`;
    return text.includes(isStream ? 'data: [DONE]' : '"usage"') ? 'served' : 'cut';
  }
}

const toOutcome = (error: { code?: string }) => (error.code === 'UND_ERR_HEADERS_TIMEOUT' ? 'hung' : 'no connection');
