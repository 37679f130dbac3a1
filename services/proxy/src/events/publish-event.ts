import type { Outbox } from '@agp/bus';
import { type EventMessage, encodeEvent } from '@agp/core/events';
import { uuidOf } from '@agp/core/ids';
import type { Budget } from '../budget/budget.ts';
import type { ProducerStamp } from '../journey.ts';

/** The outbox sends it until JetStream has it, which `budget.confirm` is told (create-context.ts); the agent never waits for that. */
export function publishEvent({ outbox, budget }: { outbox: Outbox; budget: Budget }, event: EventMessage): void {
  const isTaken = outbox.add(event.id, encodeEvent(event));
  // The money is spent all the same, so the cap must keep counting it.
  if (!isTaken) budget.lose(uuidOf('evt', event.id), event.cost_nano_usd);
}

/** A number whose event never arrives proves a lost event. */
export function takeStamp({ load, producer }: { load: { nextProducerSeq: number }; producer: string }): ProducerStamp {
  const producer_seq = load.nextProducerSeq;
  load.nextProducerSeq += 1;
  return { producer, producer_seq };
}
