import { expect, test } from 'vitest';
import { promisePlaces } from './promise-places.ts';

const makeProxy = (audit: 'strict' | 'available') => ({
  config: { audit },
  outbox: { size: 2, capacity: 5 },
  load: { promised: 0 },
});

function promiseMany(proxy: ReturnType<typeof makeProxy>, requestEventId: string | null): number {
  let promised = 0;
  for (let request = 0; request < 10; request += 1) {
    try {
      promised += promisePlaces(proxy, { requestEventId });
    } catch (error) {
      expect(error).toMatchObject({ code: 'audit_unavailable' });
    }
  }
  expect(proxy.load.promised).toBe(promised);
  return promised;
}

test('with AUDIT=strict no more events are promised a place than the outbox has left', () => {
  expect(promiseMany(makeProxy('strict'), null)).toBe(3);
  // Requests with two events, for which one place is not enough.
  expect(promiseMany(makeProxy('strict'), 'evt_a')).toBe(2);
  expect(promiseMany(makeProxy('available'), null)).toBe(10);
});
