import type { ProxyContext } from '../context.ts';
import type { ProducerStamp } from '../journey.ts';

/** The stamp of this process's next event. Taken at admission: a number that never arrives is a lost event. */
export function takeStamp(context: ProxyContext): ProducerStamp {
  const producer_seq = context.load.nextProducerSeq;
  context.load.nextProducerSeq += 1;
  return { producer: context.producer, producer_seq };
}
