import { connectBus, eventSubject } from '@agp/bus';
import { makeEvent } from '@agp/testing/events';
import fc from 'fast-check';
import type { System } from '../system/start-system.ts';

const member = fc.constantFrom(...Object.keys(makeEvent()));
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, -1, 1.5, 2 ** 53, 1e308, '', '\0', '\ud800', [], {}, true, 'x'.repeat(5_000)),
  fc.anything(),
);
const message = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constant(Buffer.from(`${'[1,'.repeat(10_000)}"x`)),
  fc.tuple(member, odd).map(([name, value]) => {
    try {
      return Buffer.from(JSON.stringify({ ...makeEvent(), [name]: value }) ?? '');
    } catch {
      return Buffer.from('{}');
    }
  }),
);

/** Messages that no proxy sends, published with a proxy's rights. @returns nothing: what becomes of them, others look at */
export async function attackWriter({ stack }: System, seed: number, count = 10): Promise<string[]> {
  const bus = await connectBus({ url: stack.urls.proxy.natsUrl, name: 'agp-fuzz' });
  for (const bytes of fc.sample(message, { seed, numRuns: count })) bus.publish(eventSubject, bytes);
  await bus.flush();
  await bus.close();
  return [];
}
