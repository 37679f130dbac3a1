import type { Outbox } from '@agp/bus';
import type { RunningState } from '@agp/db';
import type { RuleSet } from '@agp/policy';
import { Bag, endTurn, every, type HttpServer, type Logger, type Readiness, waitForDrain } from '@agp/runtime';
import { LRUCache } from 'lru-cache';
import type { Upstreams } from '../answer/upstreams.ts';
import type { ProxyConfig } from '../config.ts';
import type { HeaderValues } from '../exchange.ts';
import type { AdmittedRequest, KillReason, StopReason } from '../journey.ts';
import { rememberedWork } from '../limits.ts';

interface RunningRequest {
  /** UUID */
  agentId: string;
  stop(reason: Exclude<StopReason, 'policy_denied'>): void;
  /** Stops it if policies forbid it that end what is under way. */
  judgeAgain?(rules: RuleSet): Promise<void>;
}

export class RunningRequests {
  readonly #running = new Bag<RunningRequest>();

  add(request: RunningRequest): () => void {
    return this.#running.add(request);
  }

  /** UUIDs. */
  listAgents(): string[] {
    return [...new Set([...this.#running].map(({ agentId }) => agentId))];
  }

  /** @returns how many there were */
  stopAll(): number {
    const all = [...this.#running];
    for (const request of all) request.stop('proxy_stopping');
    return all.length;
  }

  /** One after the other, so that others are served in between. @throws the last error, once all others are judged */
  async judgeAgain(rules: RuleSet): Promise<void> {
    let failed: unknown = null;
    for (const request of [...this.#running]) {
      await request.judgeAgain?.(rules).catch((error: unknown) => {
        failed = error;
      });
      await endTurn();
    }
    if (failed !== null) throw failed;
  }

  stopForbidden({ paused, blocked }: Pick<RunningState, 'paused' | 'blocked'>): void {
    for (const request of this.#running) {
      if (blocked.has(request.agentId)) request.stop('agent_blocked');
      else if (paused) request.stop('paused');
    }
  }
}

/** With the time of the query itself, a stop takes effect within a second. */
const lookEveryMs = 500;

interface Watched {
  runningRequests: RunningRequests;
  storage: { readRunningStates(agentIds: string[]): Promise<RunningState> };
  rules: { at(version: number, deadline: number): Promise<RuleSet> };
  warnings: { storageUnreadable(error: Error): void };
}

/** Polls, since a poll cannot be lost as a message can. While storage is away it ends nothing. */
export function watchRunning({ runningRequests, storage, rules, warnings }: Watched): () => Promise<void> {
  let isJudging = false;
  const look = async () => {
    const agents = runningRequests.listAgents();
    if (agents.length === 0) return;
    const states = await storage.readRunningStates(agents);
    runningRequests.stopForbidden(states);
    if (states.policyVersion === 0 || isJudging) return;
    isJudging = true;
    // The next look is not kept waiting: it may find a block.
    rules
      .at(states.policyVersion, performance.now() + lookEveryMs)
      .then((held) => runningRequests.judgeAgain(held))
      .catch(warnings.storageUnreadable)
      .finally(() => {
        isJudging = false;
      });
  };
  return every(lookEveryMs, look, warnings.storageUnreadable);
}

interface Finishing {
  config: ProxyConfig;
  logger: Logger;
  outbox: Outbox;
  load: { running: number };
  runningRequests: RunningRequests;
}

/** In milliseconds, for the error that ends an overdue stream. */
const lastWordsMs = 2_000;
/** In milliseconds, to meter the ended requests and publish their events; within `stopMarginMs`. */
const handOverMs = 6_000;

/**
 *   drain delay            | grace                       | hand-over
 *   unready, still serving | port closed, answers finish | overdue answers ended, events handed over
 *
 * Each part ends early if there is nothing to wait for, and the drain delay also with `hurry`.
 */
export async function finishRequests(
  { config, logger, outbox, load, runningRequests }: Finishing,
  readiness: Readiness,
  http: HttpServer,
  hurry?: AbortSignal,
): Promise<void> {
  readiness.drain();
  http.drain();
  await waitForDrain(config.drainDelaySeconds, hurry);
  const graceMs = config.shutdownGraceSeconds * 1_000;
  const endsAt = performance.now() + graceMs + handOverMs;
  const overdue = setTimeout(() => {
    const ended = runningRequests.stopAll();
    if (ended > 0) logger.warn({ ended }, 'requests outlived SHUTDOWN_GRACE_SECONDS and were ended');
  }, graceMs);
  await http.stop(graceMs + lastWordsMs);
  clearTimeout(overdue);
  while (load.running > 0 && performance.now() < endsAt) await new Promise((resolve) => setTimeout(resolve, 10));
  const left = await outbox.drain(Math.max(0, endsAt - performance.now()));
  if (left > 0) logger.error({ left }, 'events were lost: JetStream did not confirm them before the end');
}

interface Parts {
  upstreams: Pick<Upstreams, 'find'>;
  logger: Logger;
  onKilled(reason: KillReason): void;
}

/** Providers have hardly any work that goes on for longer, in milliseconds. */
const rememberMs = 3_600_000;

/** Headers that describe the request that started it, and not a cancellation. */
const ofBody = /^(?:content-.*|accept|accept-encoding|expect|transfer-encoding|idempotency-key)$/i;

/**
 * Work that requests of this process started and left to the provider. It is cancelled there once its agent is blocked, or all are
 * paused, with the credential of that request, which is held in memory alone.
 */
export class BackgroundWork {
  readonly running = new RunningRequests();
  readonly #parts: Parts;
  readonly #ends = new LRUCache<string, () => void>({
    max: rememberedWork,
    ttl: rememberMs,
    ttlAutopurge: true,
    dispose: (end) => end(),
  });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  add({ head, agent, reservation }: AdmittedRequest, path: string): void {
    const { upstreams, logger, onKilled } = this.#parts;
    const { eventId } = reservation;
    const { provider, query } = head;
    const kept = Object.entries(head.headers).filter(([name]) => !ofBody.test(name));
    const headers: HeaderValues = { ...Object.fromEntries(kept), 'content-length': '0' };
    const cancel = async () => {
      const target = { origin: provider.baseUrl.origin, path: provider.basePath + path + query };
      const { statusCode, body } = await upstreams.find(provider).request({ ...target, method: 'POST', headers });
      await body.dump();
      return statusCode;
    };
    const end = this.running.add({
      agentId: agent.uuid,
      stop: (reason) => {
        this.end(eventId);
        if (reason === 'proxy_stopping') return;
        onKilled(reason);
        const work = { eventId: head.eventId, provider: provider.id };
        cancel().then(
          (status) =>
            logger[status < 400 ? 'info' : 'warn']({ ...work, status }, 'work in the background was cancelled'),
          ({ message }: Error) => logger.error({ ...work, error: message }, 'work in the background goes on'),
        );
      },
    });
    this.#ends.set(eventId, end);
  }

  /** @param eventId of the request that started it, as a UUID */
  end(eventId: string): void {
    this.#ends.delete(eventId);
  }
}
