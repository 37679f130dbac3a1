import { waitFor } from '@agp/testing';
import { afterAll, expect, test } from 'vitest';
import { Notifier } from '../../src/alerts/notifier.ts';
import { type Answer, makeTarget, putAlerts, putDeliveries, startReceiver } from '../support/alert-receivers.ts';
import { shareTestManagement } from '../support/start-test-management.ts';

const [lines, alertsOfLine] = [100, 10];

const refused = new Set<unknown>();
/** Refuses each tenth message once: its line waits for it. */
const flaky: Answer = (response, { headers }) => {
  const id = headers['webhook-id'];
  const isRefused = refused.size * 10 < receiver.at('/flaky').length && !refused.has(id) && refused.size < 50;
  if (isRefused) refused.add(id);
  response.writeHead(isRefused ? 500 : 204).end();
};

let crowded = 0;
const receiver = await startReceiver({
  '/flaky': flaky,
  '/hangs': () => {},
  '/fails': (response) => void response.writeHead(500).end(),
  '/slow': (response) => void response.writeHead(500, { 'content-length': '9' }).write('x'),
  // The first of them asks for a second: then none comes until it is over.
  '/crowded': (response) => {
    crowded += 1;
    response.writeHead(crowded === 1 ? 429 : 204, { 'retry-after': '1' }).end();
  },
});
afterAll(() => receiver[Symbol.asyncDispose]());

const management = shareTestManagement({ notificationAllowedHosts: [receiver.host] });

test('1,000 alerts to six targets by two processes: none is lost, no target waits for another, each line keeps its order', async () => {
  const { database, config } = management;
  const names = ['fast', 'flaky', 'crowded', 'hangs', 'fails', 'slow'];
  const targets = await Promise.all(
    names.map((name) => makeTarget(management, { name, kind: 'webhook', url: `${receiver.url}/${name}` })),
  );
  const planned = Array.from({ length: lines * alertsOfLine }, (_, index) => ({
    ...{ line: `line-${index % lines}`, title: `line-${index % lines} ${Math.floor(index / lines)}` },
  }));
  const alerts = await putAlerts(database, planned);
  await putDeliveries(
    database,
    alerts.flatMap((alert, index) =>
      targets.map(({ id }) => ({ target: id, alert, line: planned[index]?.line ?? '' })),
    ),
  );
  const logger = { warn: () => {} } as never;
  const second = new Notifier(database.db, config, logger);
  try {
    for (const name of ['fast', 'flaky', 'crowded'])
      await waitFor(`all of ${name}`, async () => {
        const { rows } = await database.pool.query(
          `SELECT count(*) FILTER (WHERE delivered_at IS NULL)::integer AS left FROM alert_deliveries
           WHERE target_id = (SELECT id FROM notification_targets WHERE name = $1)`,
          [name],
        );
        return rows[0].left === 0;
      });
  } finally {
    await second.stop();
  }
  for (const name of ['fast', 'flaky', 'crowded']) {
    const titles = receiver.at(`/${name}`).map(({ body }) => JSON.parse(body).data.title as string);
    const last = new Map<string, number>();
    for (const title of titles) {
      const [line = '', at] = title.split(' ');
      // One that was refused comes again before the next of its line.
      expect([last.get(line) ?? -1, (last.get(line) ?? -1) + 1], title).toContain(Number(at));
      last.set(line, Number(at));
    }
    expect(new Set(titles)).toEqual(new Set(planned.map(({ title }) => title)));
  }
  expect(receiver.at('/fast')).toHaveLength(lines * alertsOfLine);
  expect(refused.size).toBeGreaterThan(20);
  for (const name of ['hangs', 'fails', 'slow']) expect(receiver.at(`/${name}`).length).toBeGreaterThan(0);
});
