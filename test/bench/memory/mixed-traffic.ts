import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Random } from '../../soak/make-random.ts';
import { chatRequest, streamRequest } from '../chat-call.ts';

/** How often each kind comes, in percent. */
const shares = { call: 60, namedCall: 15, stream: 15, abortedStream: 7, abortedCall: 3 } as const;
type Kind = keyof typeof shares;
const kinds = (Object.keys(shares) as Kind[]).flatMap((kind) => Array.from({ length: shares[kind] }, () => kind));

/** How many requests a named conversation has. */
const callsPerSession = 20;
const chunks = 25;
const tickMs = 20;

export interface TrafficPlan {
  /** The proxy's. */
  url: string;
  perSecond: number;
  agents: number;
  random: Random;
}

/** Calls, streams and callers that leave, at a steady rate, until it is stopped. */
export class MixedTraffic {
  /** How many of each kind have ended, and of those that went wrong. */
  readonly ended: Record<string, number> = {};
  readonly #plan: TrafficPlan;
  readonly #client = new Agent({ connections: null });
  readonly #running = new Set<Promise<void>>();
  #begun = 0;
  #stopped = false;

  constructor(plan: TrafficPlan) {
    this.#plan = plan;
  }

  /** Sends for a while. What takes longer than a tick does not change how much is sent. */
  async run(seconds: number): Promise<void> {
    const { perSecond, random } = this.#plan;
    const started = performance.now();
    const first = this.#begun;
    for (;;) {
      const passed = (performance.now() - started) / 1_000;
      if (passed >= seconds || this.#stopped) return;
      while (this.#begun - first < passed * perSecond) this.#begin(random);
      await sleep(tickMs);
    }
  }

  /** Waits for all that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
    await this.#client.close();
  }

  #begin(random: Random): void {
    this.#begun += 1;
    const kind = random.pick(kinds);
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'x-agent-name': `bench-${Math.floor(random.between(0, this.#plan.agents))}`,
    };
    if (kind === 'namedCall') {
      const session = Math.floor(this.#begun / callsPerSession);
      // A session belongs to one agent.
      headers['x-agent-name'] = `bench-${session % this.#plan.agents}`;
      headers['x-session-id'] = `conversation-${session}`;
    }
    const one = this.#send(kind, headers, Math.round(random.between(5, 700))).then(
      (outcome) => this.#count(outcome),
      (error: Error & { code?: string }) => this.#count(`${kind}: ${error.code ?? error.name}`),
    );
    this.#running.add(one);
    void one.then(() => this.#running.delete(one));
  }

  /** @returns what it was: its kind, or what went wrong */
  async #send(kind: Kind, headers: Record<string, string>, leaveAfterMs: number): Promise<string> {
    const isStream = kind === 'stream' || kind === 'abortedStream' || kind === 'abortedCall';
    const leaves = kind === 'abortedStream' || kind === 'abortedCall';
    // An aborted call is one whose caller goes before the first byte: these streams begin with their first chunk.
    const signal = leaves ? AbortSignal.timeout(kind === 'abortedCall' ? 2 : leaveAfterMs) : undefined;
    try {
      const answer = await request(`${this.#plan.url}/openai/v1/chat/completions`, {
        dispatcher: this.#client,
        method: 'POST',
        headers: isStream ? { ...headers, 'x-bench-chunks': String(chunks) } : headers,
        body: isStream ? streamRequest : chatRequest,
        ...(signal ? { signal } : {}),
      });
      await answer.body.dump({ limit: Number.MAX_SAFE_INTEGER, ...(signal ? { signal } : {}) });
      return answer.statusCode === 200 ? kind : `${kind}: status ${answer.statusCode}`;
    } catch (error) {
      if (signal?.aborted) return kind;
      throw error;
    }
  }

  #count(outcome: string): void {
    this.ended[outcome] = (this.ended[outcome] ?? 0) + 1;
  }
}
