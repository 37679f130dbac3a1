import type { EventMessage } from '@agp/core/events';
import { uuidOf } from '@agp/core/ids';
import type { ProxyContext } from '../context.ts';
import type { ProducerStamp } from '../journey.ts';

/** Adds an event to the outbox, which sends it until JetStream has it. The agent never waits for that. */
export function publishEvent(context: ProxyContext, event: EventMessage): void {
  const isHeld = context.outbox.add(event.id, JSON.stringify(event));
  // The money is spent all the same, so the cap must keep counting it.
  if (!isHeld) context.budget.lose(uuidOf('evt', event.id), event.cost_nano_usd);
}

/** Takes the stamp of this process's next event. A number whose event never arrives proves a lost event. */
export function takeStamp(context: ProxyContext): ProducerStamp {
  const producer_seq = context.load.nextProducerSeq;
  context.load.nextProducerSeq += 1;
  return { producer: context.producer, producer_seq };
}
