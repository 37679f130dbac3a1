import { ApiError } from '@agp/core/errors';
import { expect, test, vi } from 'vitest';
import type { ProxyContext } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import type { Journey } from '../journey.ts';
import { finish } from './finish.ts';

test('a request gives back all that it held even if its end fails', () => {
  const [release, giveBack] = [vi.fn(), vi.fn()];
  const journey = { error: new ApiError('paused'), body: { release }, place: { giveBack } } as unknown as Journey;
  const refusals = {
    inc() {
      throw new Error('broken');
    },
  };
  const context = { metrics: { refusals } } as unknown as ProxyContext;
  expect(() => finish(context, {} as Exchange, journey, null)).toThrow('broken');
  expect([release, giveBack].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});
