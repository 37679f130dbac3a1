import { randomUUIDv7 } from 'node:crypto';
import { toPublicId } from '@agp/core/ids';
import { waitFor } from '@agp/testing';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { Notifier } from '../../src/alerts/notifier.ts';
import { isFed } from '../../src/alerts/senders/senders.ts';
import { makeTarget, putAlerts, startReceiver } from '../support/alert-receivers.ts';
import { shareTestManagement } from '../support/start-test-management.ts';

const replicas = [await startReceiver(), await startReceiver()];
afterAll(() => Promise.all(replicas.map((each) => each[Symbol.asyncDispose]())));

const management = shareTestManagement({
  notificationAllowedHosts: replicas.map(({ host }) => host),
  consoleOrigin: 'https://agp.test',
});

// https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml: postableAlerts
const labelSet = z.record(z.string().regex(/^[a-zA-Z_]\w*$/), z.string().min(1));
const postableAlerts = z
  .array(
    z.strictObject({
      labels: labelSet,
      annotations: labelSet,
      startsAt: z.iso.datetime(),
      endsAt: z.iso.datetime(),
      generatorURL: z.url(),
    }),
  )
  .min(1);

const minute = 60_000;

test('each replica is told what is open, by one process alone, and when it is over; other rules are not told', async () => {
  const { database, config } = management;
  const target = {
    ...{ name: 'alertmanager', kind: 'alertmanager', authorization: 'Bearer of-the-team' },
    urls: [`${replicas[0]?.url}/`, `${replicas[1]?.url}/prefix`],
  };
  const { id } = await makeTarget(management, target);
  const rule = { name: 'told', on: 'failing', targets: ['alertmanager'] };
  expect((await management.send('POST', '/api/v1/notification-rules', rule)).status).toBe(201);
  await using second = new AsyncDisposableStack();
  for (const _ of [1, 2]) {
    const another = new Notifier(database.db, config, { warn: () => {} } as never);
    second.defer(() => another.stop());
  }

  const subject = randomUUIDv7();
  const [open = '', notice = ''] = await putAlerts(database, [
    { rule: 'told', subject, title: 'agent nightly fails' },
    { rule: 'told', title: 'somebody changed something', isOver: true },
    { rule: 'agents-failing', title: 'of a rule that does not name it' },
  ]);
  const told = () => replicas.map(({ received }) => received);
  const first = await waitFor('both replicas', () => (told().every((each) => each.length > 0) ? told() : false));
  const [one] = first[0] ?? [];
  expect(first.map(([each]) => each?.path)).toEqual(['/api/v2/alerts', '/prefix/api/v2/alerts']);
  expect(one?.headers.authorization).toBe('Bearer of-the-team');
  const alerts = postableAlerts.parse(JSON.parse(one?.body ?? ''));
  const find = (list: typeof alerts, uuid: string) =>
    list.find(({ labels }) => labels.alert_id === toPublicId('alr', uuid));
  expect(alerts).toHaveLength(2);
  const [firing, noticed] = [find(alerts, open), find(alerts, notice)];
  expect(firing?.labels).toEqual({
    ...{ alertname: 'told', kind: 'failing', severity: 'critical', subject, alert_id: toPublicId('alr', open) },
  });
  expect(firing?.annotations.summary).toBe('CRITICAL: agent nightly fails');
  expect(firing?.generatorURL).toBe('https://agp.test/agents?search=a&b');
  expect(Date.parse(firing?.endsAt ?? '')).toBeGreaterThan(Date.now() + minute);
  // Else Alertmanager would take it for over before it told anybody.
  expect(Date.parse(noticed?.endsAt ?? '') - Date.parse(noticed?.startsAt ?? '')).toBe(5 * minute);

  // Three processes look: each time one alone tells.
  expect(told().map((each) => each.length)).toEqual([1, 1]);
  const agoSql = `UPDATE notification_targets SET fed_at = clock_timestamp() - interval '31 s' WHERE id = $1`;
  await database.pool.query(agoSql, [id]);
  await waitFor('what is open, again', () => told().every((each) => each.length > 1));
  expect(told().map((each) => each.length)).toEqual([2, 2]);

  await database.pool.query(
    `UPDATE alerts SET opened_at = opened_at - interval '1 hour', resolved_at = clock_timestamp(), changed_at = clock_timestamp()
     WHERE id = $1`,
    [open],
  );
  await waitFor('what is over', () => told().every((each) => each.length > 2));
  const over = find(postableAlerts.parse(JSON.parse(replicas[0]?.received[2]?.body ?? '')), open);
  expect(over?.annotations.summary).toBe('resolved: agent nightly fails');
  expect(Date.parse(over?.endsAt ?? '')).toBeLessThanOrEqual(Date.now());
  const { rows } = await database.pool.query('SELECT target FROM notification_targets');
  expect(rows.map(isFed)).toEqual([true]);
});
