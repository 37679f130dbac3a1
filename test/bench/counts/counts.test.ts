import { startTestStack } from '@agp/testing';
import { expect, it } from 'vitest';
import { makeEventStream } from '../../system/make-event-stream.ts';
import { countProxy } from './count-proxy.ts';
import { sumRooms } from './inspect-counts.ts';
import { findExcess } from './limits.ts';

it('takes no more function calls, functions and bytes for a small call than its limit', async () => {
  await using stack = await startTestStack({ nats: true, redis: true });
  await makeEventStream(stack.natsUrl);
  const { ours } = await countProxy(stack, ['small'], 600);
  const count = sumRooms(ours.get('small') ?? new Map());
  expect(findExcess('small', count), JSON.stringify(count)).toEqual([]);
});
