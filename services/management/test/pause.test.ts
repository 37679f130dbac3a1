import { pauseSchema } from '@agp/core/contracts';
import { readRunningStates } from '@agp/db';
import { expect, test } from 'vitest';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement({ edition: 'base' });

const put = (body: unknown) => management.send('PUT', '/api/v1/pause', body);

test('everything is paused and resumed, where the proxies look at each request', async () => {
  expect(await management.read('/api/v1/pause', pauseSchema)).toEqual({ paused: false });
  for (const paused of [true, true, false]) {
    expect(await (await put({ paused })).json()).toEqual({ paused });
    expect(await management.read('/api/v1/pause', pauseSchema)).toEqual({ paused });
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
  expect(await management.read('/api/v1/pause', pauseSchema)).toEqual({ paused: false });
});
