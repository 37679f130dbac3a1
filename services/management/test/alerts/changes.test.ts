import { alertListSchema } from '@agp/alerts';
import { eventually } from '@agp/testing';
import { expect, test } from 'vitest';
import { seedAgent } from '../support/seed.ts';
import { shareTestManagement } from '../support/start-test-management.ts';

const management = shareTestManagement();

/** Waits until the alerts of the rule about blocks and pauses, the first one first, are these. */
const expectAlerts = (expected: [title: string, detail: string, state: string][]) =>
  eventually(async () => {
    const alerts = await management.read('/api/v1/alerts?rule=blocks-and-pauses', alertListSchema);
    expect(alerts.reverse().map(({ title, detail, state }) => [title, detail, state])).toEqual(expected);
  });

test('a block and a pause are told with who and why, and are over when they end', async () => {
  const id = await seedAgent(management.database, 'nightly');
  const set = async (method: string, path: string, body: object) =>
    expect((await management.send(method, path, body)).status).toBe(200);
  const block = 'agent nightly was blocked by key bootstrap';
  const pause = 'all agents were paused by key bootstrap';
  await set('PUT', `/api/v1/agents/${id}?reason=it+loops`, { status: 'blocked' });
  await expectAlerts([[block, 'it loops', 'open']]);
  await set('PUT', '/api/v1/pause', { paused: true });
  await expectAlerts([
    [block, 'it loops', 'open'],
    [pause, '', 'open'],
  ]);
  await set('PUT', `/api/v1/agents/${id}`, { status: 'active' });
  await set('PUT', '/api/v1/pause', { paused: false });
  // One that ended before anybody looked is told all the same.
  await set('PUT', `/api/v1/agents/${id}`, { status: 'blocked' });
  await set('PUT', `/api/v1/agents/${id}`, { status: 'active' });
  await expectAlerts([
    [block, 'it loops; over: ended by key bootstrap', 'resolved'],
    [pause, 'over: ended by key bootstrap', 'resolved'],
    [block, '', 'resolved'],
  ]);
});
