import { setTimeout as sleep } from 'node:timers/promises';
import { toEventText } from '@agp/core/events';
import type { ForwardedSpend } from '@agp/db';
import {
  type BudgetReservations,
  type ForwardedRequest,
  type ForwardedReservation,
  listCharges,
  type Reservation,
} from '@agp/reservations';
import type { AdmittedRequest } from '../journey.ts';
import { maxModelName } from '../limits.ts';
import type { Storage } from '../storage/storage.ts';
import type { OwnReservations } from './own-reservations.ts';

interface SendForwardedOptions {
  shared: BudgetReservations;
  own: OwnReservations;
  storage: Storage;
  onFailure: (error: Error) => void;
  isRedisAway(): boolean;
  onSuccess(): void;
}

const retryMs = 250;

/** Tells Redis of forwarded requests, and Postgres while Redis is away: a writer finds them there after a kill. */
export function makeSendForwarded({ shared, own, storage, onFailure, isRedisAway, onSuccess }: SendForwardedOptions) {
  async function keepInPostgres(some: readonly Reservation[]): Promise<void> {
    for (let isKept = false; !isKept; ) {
      const forwarded = some.filter((each) => each.forwarded !== undefined && own.has(each.eventId));
      isKept =
        forwarded.length === 0 || (await storage.keepForwarded(forwarded.map((each) => toSpend(each, each.nanoUsd))));
      if (!isKept && !isRedisAway()) return;
      if (!isKept) await sleep(retryMs, undefined, { ref: false });
    }
  }

  async function send(some: readonly ForwardedReservation[]): Promise<void> {
    const isKept = isRedisAway() ? keepInPostgres(some) : null;
    try {
      await shared.forward(some);
      onSuccess();
    } catch (error) {
      onFailure(error as Error);
      await (isKept ?? keepInPostgres(some));
    }
  }

  let gathered: ForwardedReservation[] = [];
  let handingOver: Promise<void> | null = null;

  /** Requests that one answer of storage admitted are forwarded together: one command tells of all. */
  async function handOver(): Promise<void> {
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const some = gathered;
    gathered = [];
    handingOver = null;
    void send(some);
  }

  return {
    forward(held: ForwardedReservation): Promise<void> {
      gathered.push(held);
      handingOver ??= handOver();
      return handingOver;
    },
    /** Never rejects. */
    async renew(held: readonly Reservation[]): Promise<void> {
      try {
        await shared.renew(held);
        onSuccess();
      } catch (error) {
        onFailure(error as Error);
        await keepInPostgres(held);
      }
    },
  };
}

export function toSpend({ forwarded, budgets, ...held }: Reservation, costNanoUsd: number): ForwardedSpend {
  const { eventId, agentId, day } = held;
  const charges = listCharges({ budgets, nanoUsd: costNanoUsd });
  return { eventId, agentId, day, costNanoUsd, charges, request: forwarded ?? null };
}

export function describeForwarded({ head, sessionId, body }: AdmittedRequest): ForwardedRequest {
  const model = body.inspected?.requestedModel;
  return {
    sessionId,
    provider: head.provider.id,
    model: model ? toEventText(model, maxModelName) : null,
  };
}
