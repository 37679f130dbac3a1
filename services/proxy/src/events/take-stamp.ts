import type { ProxyContext } from '../context.ts';
import type { ProducerStamp } from '../journey.ts';

/** Takes the stamp of this process's next event. A number whose event never arrives proves a lost event. */
export function takeStamp(context: ProxyContext): ProducerStamp {
  const producer_seq = context.load.nextProducerSeq;
  context.load.nextProducerSeq += 1;
  return { producer: context.producer, producer_seq };
}
