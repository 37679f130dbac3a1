import { pauseStateSchema } from '@agp/core/contracts';
import { readRunningStates } from '@agp/db';
import { expect, test } from 'vitest';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement({ edition: 'base' });

const put = (body: unknown, reason = 'why') => management.send('PUT', `/api/v1/pause?reason=${reason}`, body);

test('everything is paused and resumed, where the proxies look at each request', async () => {
  expect(await management.read('/api/v1/pause', pauseStateSchema)).toEqual({ paused: false, stop: null });
  for (const [index, paused] of [true, true, false].entries()) {
    // Who pauses again is not who paused.
    expect(await (await put({ paused }, index === 0 ? 'incident-42' : 'again')).json()).toEqual({ paused });
    const since = expect.any(String);
    const stop = paused ? { since, by: 'key bootstrap', reason: 'incident-42' } : null;
    expect(await management.read('/api/v1/pause', pauseStateSchema)).toEqual({ paused, stop });
    expect((await readRunningStates(management.database.pool, [])).paused).toBe(paused);
  }
});

test.each([
  ['nothing', {}, /^paused: /],
  ['text', { paused: 'true' }, /^paused: /],
  ['null', { paused: null }, /^paused: /],
  ['another field', { paused: true, until: '2026-11-21' }, /^until: unknown field/],
])('a body with %s changes nothing', async (_name, body, error) => {
  await management.refuse(await put(body), 400, error);
  expect(await management.read('/api/v1/pause', pauseStateSchema)).toEqual({ paused: false, stop: null });
});
