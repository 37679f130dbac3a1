import { streamAlertSchema } from '@agp/alerts';
import { toAnnouncedEvent } from '@agp/core/events';
import { uuidOf } from '@agp/core/ids';
import { insertAlert } from '@agp/testing/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Announcer, startAnnouncer } from './support/announcer.ts';
import { makeEvent } from './support/make-event.ts';
import { openStream, type StreamClient } from './support/open-stream.ts';
import { seedAgent } from './support/seed.ts';
import { startTestManagement, type TestManagement } from './support/start-test-management.ts';

let management: TestManagement;
let writer: Announcer;
beforeAll(async () => {
  management = await startTestManagement();
  // Nobody looks then, and no alert without a cause ends.
  await management.database.pool.query('DELETE FROM alert_watch');
  writer = await startAnnouncer(management.stack.natsUrl);
});
afterAll(async () => {
  await writer[Symbol.asyncDispose]();
  await management[Symbol.asyncDispose]();
});

const insert = (parts?: Parameters<typeof insertAlert>[1]) => insertAlert(management.database.pool, parts);
const event = () =>
  toAnnouncedEvent(makeEvent('agt_a', 'ses_a', '2026-03-01T00:00:00.000Z'), `sha256:${'0'.repeat(64)}`);
const readAlerts = ({ text }: StreamClient) =>
  [...text.matchAll(/^event: alert\ndata: (.*)\n\n/gm)].map(([, data = '']) =>
    streamAlertSchema.parse(JSON.parse(data)),
  );
const tell = (client: StreamClient, ...ids: string[]) =>
  readAlerts(client)
    .filter(({ id }) => ids.includes(id))
    .map(({ id, state }) => [id, state]);

test('alerts come up, are acknowledged and are over on the streams that ask for them, and on no other', async () => {
  await using plain = await openStream(management);
  await using alerts = await openStream(management, '?kinds=alerts');
  await using both = await openStream(management, '?kinds=events,alerts');
  const id = await insert({ title: 'agent nightly fails' });
  await expect.poll(() => tell(alerts, id)).toEqual([[id, 'open']]);
  await management.send('POST', `/api/v1/alerts/${id}/acknowledge`, {});
  await expect.poll(() => tell(alerts, id).at(-1)).toEqual([id, 'acknowledged']);
  const over = 'UPDATE alerts SET resolved_at = clock_timestamp(), changed_at = clock_timestamp() WHERE id = $1';
  await management.database.pool.query(over, [uuidOf('alr', id)]);
  const all = ['open', 'acknowledged', 'resolved'].map((state) => [id, state]);
  await expect.poll(() => tell(alerts, id)).toEqual(all);
  await expect.poll(() => tell(both, id)).toEqual(all);
  expect(readAlerts(alerts).at(-1)).toMatchObject({ title: 'agent nightly fails', acknowledged_by: 'bootstrap' });
  const recorded = event();
  await writer.announce([recorded]);
  await expect.poll(() => plain.ids).toEqual([recorded.id]);
  await expect.poll(() => both.ids).toContain(recorded.id);
  expect(plain.text).not.toContain('alert');
  expect(alerts.text).not.toContain('agent_event');
});

test('one that is committed after later ones is not lost, and none comes twice', async () => {
  await using client = await openStream(management, '?kinds=alerts');
  const slow = await management.database.pool.connect();
  await slow.query('BEGIN');
  const late = await insertAlert(slow);
  const early = await insert();
  await expect.poll(() => tell(client, early, late)).toEqual([[early, 'open']]);
  await slow.query('COMMIT');
  slow.release();
  await expect.poll(() => tell(client, early, late)).toEqual([early, late].map((id) => [id, 'open']));
  const last = await insert();
  await expect.poll(() => tell(client, last)).toEqual([[last, 'open']]);
  expect(tell(client, early, late)).toHaveLength(2);
});

test('more at once than one look reads all come', async () => {
  await using client = await openStream(management, '?kinds=alerts');
  await management.database.pool.query(
    `INSERT INTO alerts (id, rule_id, rule, kind, severity, subject, "window", title, detail, path, changed_at)
     SELECT gen_random_uuid(), gen_random_uuid(), 'flood', 'failing', 'info', 's', n::text, 't', '', '/', now()
     FROM generate_series(1, 1200) AS each (n)`,
  );
  await expect.poll(() => readAlerts(client).filter(({ rule }) => rule === 'flood').length).toBe(1_200);
  expect(new Set(readAlerts(client).map(({ id }) => id)).size).toBe(readAlerts(client).length);
  await management.database.pool.query("DELETE FROM alerts WHERE rule = 'flood'");
});

test('an agent of its own is a filter, and another kind is refused', async () => {
  const agentId = await seedAgent(management.database, 'told');
  await using client = await openStream(management, `?kinds=alerts&agent_id=${agentId}`);
  const [, mine] = [await insert(), await insert({ agentId })];
  await expect.poll(() => readAlerts(client).map(({ id }) => id)).toEqual([mine]);
  await management.refuse(await management.call('/api/v1/events/stream?kinds=alert'), 400, /^kinds: /);
});

test('without the broker alerts are told all the same', async () => {
  await using own = await startTestManagement();
  await using before = await openStream(own, '?kinds=alerts');
  await using events = await openStream(own, '?kinds=events,alerts');
  await own.stack.nats.kill();
  await events.ended;
  const id = await insertAlert(own.database.pool);
  await expect.poll(() => tell(before, id)).toEqual([[id, 'open']]);
  await using after = await openStream(own, '?kinds=alerts');
  const next = await insertAlert(own.database.pool);
  await expect.poll(() => tell(after, next)).toEqual([[next, 'open']]);
});
