import type { ProviderApi } from '@agp/metering';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeReserve } from '../../packages/metering/test/reservations/make-reserve.ts';
import { arbitraryRequest, type StrictRequest } from './strict/arbitrary-request.ts';
import { readAtWorst } from './strict/worst-reading.ts';

const reserve = makeReserve('strict');

/** What a request reserves, in nano-dollars; null where it is refused. */
function reserveRequest({ target, headers, body }: StrictRequest): number | null {
  const [, api = '', path = '', query = ''] = /^\/(\w+)(\/[^?]*)(.*)$/.exec(target) ?? [];
  const { 'content-type': contentType = '', 'content-encoding': contentEncoding = '' } = headers;
  try {
    return reserve({ api: api as ProviderApi, path, query, body, contentType, contentEncoding });
  } catch (error) {
    if ((error as { code?: string }).code === 'cost_not_bounded') return null;
    throw error;
  }
}

test('no request reserves less than the worst bill that it can lead to', () => {
  let reserved = 0;
  const holds = (request: StrictRequest) => {
    const most = reserveRequest(request);
    if (most === null) return;
    reserved += 1;
    const target = request.target.replace(/^\/\w+/, '');
    expect(readAtWorst({ target, body: request.body }).nanoUsd).toBeLessThanOrEqual(most);
  };
  fc.assert(fc.property(arbitraryRequest, holds), { numRuns: 400 });
  // That all is refused would prove nothing.
  expect(reserved).toBeGreaterThan(100);
});
