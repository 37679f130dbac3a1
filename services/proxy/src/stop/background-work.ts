import type { Logger } from '@agp/runtime';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import type { HeaderValues } from '../exchange.ts';
import type { AdmittedRequest, KillReason } from '../journey.ts';
import { rememberedWork } from '../limits.ts';
import { RunningRequests } from './running-requests.ts';

interface Parts {
  upstream: Dispatcher;
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
    const { upstream, logger, onKilled } = this.#parts;
    const { eventId } = reservation;
    const { provider, query } = head;
    const kept = Object.entries(head.headers).filter(([name]) => !ofBody.test(name));
    const headers: HeaderValues = { ...Object.fromEntries(kept), 'content-length': '0' };
    const cancel = async () => {
      const target = { origin: provider.baseUrl.origin, path: provider.basePath + path + query };
      const { statusCode, body } = await upstream.request({ ...target, method: 'POST', headers });
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
