import type { ServerResponse } from 'node:http';
import { type Delivery, deliveryListSchema, storedTargetSchema } from '@agp/alerts';
import { toPublicId } from '@agp/core/ids';
import { pruneDeliveries } from '@agp/db';
import { waitFor } from '@agp/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, test } from 'vitest';
import { fail, makeTarget, putAlerts, putDeliveries, startReceiver } from '../support/alert-receivers.ts';
import { shareTestManagement } from '../support/start-test-management.ts';

const second = 1_000;
const held: ServerResponse[] = [];
const elsewhere = await startReceiver();
const receiver = await startReceiver({
  '/hangs': () => {},
  '/held': (response) => void held.push(response),
  '/head-only': (response) => void response.writeHead(200, { 'content-length': '10' }).write('1'),
  '/slow-failure': (response) => void response.writeHead(500, { 'content-length': '10' }).write('broken'),
  '/endless': (response) => {
    response.writeHead(503, { 'content-type': 'text/plain' });
    const pour = () => {
      while (response.write('x'.repeat(65_536)));
    };
    response.on('drain', pour);
    pour();
  },
  '/500': fail(500),
  '/given-up': fail(500),
  '/html': fail(502, { 'content-type': 'text/html' }, '<html><p>nginx'),
  '/429': fail(429, { 'retry-after': '100' }),
  '/gone': fail(410),
  '/redirect': fail(302, { location: `${elsewhere.url}/inside` }),
  '/api/v2/alerts': (response, { headers }) => void response.writeHead(400).end(`wrong: ${headers.authorization}`),
  '/echo?token=very-secret-token': (response, { path }) => void response.writeHead(400).end(`wrong: ${path}`),
});
const closed = await startReceiver();
await closed[Symbol.asyncDispose]();

const management = shareTestManagement({
  notificationAllowedHosts: [receiver.host, elsewhere.host, closed.host],
  consoleOrigin: 'https://agp.test',
});
afterAll(() => Promise.all([receiver, elsewhere].map((each) => each[Symbol.asyncDispose]())));

const list = (target: string) =>
  management.read(`/api/v1/notification-deliveries?target=${target}`, deliveryListSchema);

const readTarget = (publicId: string) =>
  management.read(`/api/v1/notification-targets/${publicId}`, storedTargetSchema);

/** The only message to a target, once it was tried, or is settled. */
const tried = (target: string, isDone: (each: Delivery) => boolean = ({ attempts }) => attempts > 0) =>
  waitFor(`a try of ${target}`, async () => (await list(target)).find(isDone));

/** A target with one message that waits. */
async function sendTo(path: string, name = path.slice(1)) {
  const target = await makeTarget(management, { name, kind: 'webhook', url: receiver.url + path });
  const [alert = ''] = await putAlerts(management.database, [{ title: `of ${name}` }]);
  const [id = ''] = await putDeliveries(management.database, [{ target: target.id, alert }]);
  return { ...target, alert, deliveryId: toPublicId('dlv', id) };
}

describe('a message', () => {
  test('is delivered with a signature that the library of Standard Webhooks takes, and says what and where', async () => {
    const { secret, deliveryId, alert } = await sendTo('/taken');
    expect(await tried('taken')).toMatchObject({ state: 'delivered', attempts: 1, error: null, id: deliveryId });
    const [one] = receiver.at('/taken');
    const { type, data } = new Webhook(secret ?? '').verify(
      one?.body ?? '',
      one?.headers as Record<string, string>,
    ) as Record<string, unknown>;
    expect(one?.headers['webhook-id']).toBe(deliveryId);
    expect({ type, data }).toEqual({
      type: 'alert.opened',
      data: expect.objectContaining({
        ...{ id: toPublicId('alr', alert), title: 'of taken', state: 'open', severity: 'critical' },
        link: 'https://agp.test/agents?search=a&b',
      }),
    });
  });

  test('is signed by the last secret too, for a day after another took its place', async () => {
    const made = await makeTarget(management, { name: 'rotated', kind: 'webhook', url: `${receiver.url}/rotated` });
    const next = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const change = { name: 'rotated', kind: 'webhook', url: `${receiver.url}/rotated`, secret: next };
    expect((await management.send('PUT', `/api/v1/notification-targets/${made.publicId}`, change)).status).toBe(200);
    const send = async () => {
      const [alert = ''] = await putAlerts(management.database, [{}]);
      const count = receiver.at('/rotated').length;
      await putDeliveries(management.database, [{ target: made.id, alert }]);
      return await waitFor('the message', () => receiver.at('/rotated')[count]);
    };
    const verify = ({ body, headers }: Awaited<ReturnType<typeof send>>, secret: string) =>
      new Webhook(secret).verify(body, headers as Record<string, string>);
    const within = await send();
    for (const secret of [made.secret ?? '', next]) expect(verify(within, secret)).toBeTypeOf('object');
    await management.database.pool.query(
      `UPDATE notification_targets SET secrets = jsonb_set(secrets, '{previous_until}', '"1000"') WHERE id = $1`,
      [made.id],
    );
    const after = await send();
    expect(verify(after, next)).toBeTypeOf('object');
    expect(() => verify(after, made.secret ?? '')).toThrow('No matching signature found');
  });
});

test('a message is taken for a minute: whoever dies with it in hand leaves it to another, with the same id', async () => {
  const { id, deliveryId } = await sendTo('/held');
  const [first] = await waitFor('the message', () => (held.length > 0 ? held : false));
  const inHand = await tried('held', () => true);
  expect(inHand).toMatchObject({ state: 'waiting', attempts: 0, error: null });
  expect(Date.parse(inHand.next_at ?? '') - Date.parse(inHand.created_at)).toBeGreaterThan(50 * second);
  await management.database.pool.query('UPDATE alert_deliveries SET next_at = clock_timestamp() WHERE target_id = $1', [
    id,
  ]);
  await waitFor('the message again', () => held.length > 1);
  expect(receiver.at('/held').map(({ headers }) => headers['webhook-id'])).toEqual([deliveryId, deliveryId]);
  for (const response of held) response.end();
  expect(await tried('held')).toMatchObject({ state: 'delivered' });
  expect(first?.writableEnded).toBe(true);
});

// Some of them are waited for, for ten seconds each.
describe.concurrent('a receiver', () => {
  test('that fails, hangs, redirects or pours is tried again, with the same id, no sooner than it asks', async () => {
    const rows: [path: string, error: string, pauseSeconds: number][] = [
      ['/500', 'HTTP 500: no', 5],
      ['/html', 'HTTP 502', 5],
      ['/slow-failure', 'HTTP 500: broken', 5],
      ['/429', 'HTTP 429: no', 100],
      ['/redirect', 'HTTP 302: redirects are not followed', 5],
      ['/hangs', 'no answer within 10 s', 5],
      ['/endless', `HTTP 503: ${'x'.repeat(290)}`, 5],
    ];
    await Promise.all(
      rows.map(async ([path, error, pauseSeconds]) => {
        const { publicId, deliveryId } = await sendTo(path);
        const delivery = await tried(path.slice(1));
        expect(delivery).toMatchObject({ state: 'waiting', error });
        const [one] = receiver.at(path);
        const sent = Number(one?.headers['webhook-timestamp']) * second;
        expect(Date.parse(delivery.next_at ?? '') - sent).toBeGreaterThanOrEqual((0.8 * pauseSeconds - 1) * second);
        expect(await readTarget(publicId)).toMatchObject({ waiting_count: 1, disabled: null, last_error: error });
        if (pauseSeconds > 5) return;
        const again = await waitFor(`a second try of ${path}`, () => receiver.at(path)[1]);
        expect(again.headers['webhook-id']).toBe(deliveryId);
      }),
    );
    expect(elsewhere.connections()).toBe(0);
  });

  test('that says 200 has it, though the rest of its answer hangs', async () => {
    await sendTo('/head-only');
    expect(await tried('head-only')).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  test('that is not there is named without what is secret in its URL', async () => {
    const url = `http://${closed.host}/services/T000/xoxb-secret-part`;
    const { id } = await makeTarget(management, { name: 'absent', kind: 'slack', url });
    const [alert = ''] = await putAlerts(management.database, [{}]);
    await putDeliveries(management.database, [{ target: id, alert }]);
    expect(await tried('absent')).toMatchObject({ error: `connect ECONNREFUSED ${closed.host}` });
  });

  test('that answers with our secrets does not bring them into an error', async () => {
    const made = await makeTarget(management, {
      ...{ name: 'echo', kind: 'alertmanager', urls: [receiver.url], authorization: 'Bearer secret-of-ours' },
    });
    const key = await makeTarget(management, {
      ...{ name: 'echo-slack', kind: 'slack', url: `${receiver.url}/echo?token=very-secret-token` },
    });
    const answers = await Promise.all(
      [made, key].map(({ publicId }) =>
        management.call(`/api/v1/notification-targets/${publicId}/test`, { method: 'POST' }),
      ),
    );
    for (const answer of answers)
      expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/^HTTP 400: wrong: .*…$/) });
  });

  test('that is gone disables its target, and a change of that sends what waits', async () => {
    const { id, publicId, alert } = await sendTo('/gone');
    const waiting = await waitFor('410', async () => ((await readTarget(publicId)).disabled ? publicId : false));
    expect((await readTarget(waiting)).disabled?.because).toBe('its receiver is gone: HTTP 410: no');
    const tries = receiver.at('/gone').length;
    const [late = ''] = await putDeliveries(management.database, [{ target: id, alert, line: 'another' }]);
    await sendTo('/after-gone');
    await tried('after-gone');
    expect(receiver.at('/gone')).toHaveLength(tries);
    const change = { name: 'gone', kind: 'webhook', url: `${receiver.url}/back` };
    await management.send('PUT', `/api/v1/notification-targets/${publicId}`, change);
    await waitFor('what waited', () => receiver.at('/back').length >= 2);
    expect(receiver.at('/back').map(({ headers }) => headers['webhook-id'])).toContain(toPublicId('dlv', late));
  });

  test('that fails for three days gets it no more, until somebody sends it again', async () => {
    const { id, publicId, deliveryId } = await sendTo('/given-up');
    await tried('given-up');
    await management.database.pool.query(
      'UPDATE alert_deliveries SET attempts = 14, next_at = clock_timestamp() WHERE target_id = $1',
      [id],
    );
    expect(await tried('given-up', ({ state }) => state === 'dead')).toMatchObject({ attempts: 15, next_at: null });
    expect(await readTarget(publicId)).toMatchObject({ dead_count: 1, waiting_count: 0 });
    const again = await management.call(`/api/v1/notification-deliveries/${deliveryId}/resend`, { method: 'POST' });
    expect(again.status).toBe(200);
    expect(await tried('given-up', ({ attempts }) => attempts === 1)).toMatchObject({ state: 'waiting' });
  });
});

describe('messages', () => {
  test('whose alert was removed are given up', async () => {
    const target = await makeTarget(management, { name: 'removed', kind: 'webhook', url: `${receiver.url}/removed` });
    await putDeliveries(management.database, [{ target: target.id, alert: target.id }]);
    expect(await tried('removed')).toMatchObject({ state: 'dead', error: 'its alert was removed' });
    expect(receiver.at('/removed')).toEqual([]);
  });

  test('are removed after 30 days, but those of an alert that is open', async () => {
    const { id } = await makeTarget(management, { name: 'old', kind: 'webhook', url: `${receiver.url}/old` });
    const [open = '', over = ''] = await putAlerts(management.database, [{}, { isOver: true }]);
    const ids = await putDeliveries(
      management.database,
      [open, over, over].map((alert) => ({ target: id, alert })),
    );
    await waitFor('all three', async () => (await list('old')).every(({ state }) => state === 'delivered'));
    await management.database.pool.query(
      `UPDATE alert_deliveries SET created_at = created_at - interval '31 days' WHERE id = ANY($1)`,
      [ids.slice(0, 2)],
    );
    expect(await pruneDeliveries(management.database.db)).toBe(true);
    const left = (await list('old')).map((each) => each.id).toSorted();
    expect(left).toEqual([ids[0], ids[2]].map((each = '') => toPublicId('dlv', each)).toSorted());
  });

  test('a test is sent once, and says what the receiver said', async () => {
    const { publicId } = await makeTarget(management, { name: 'tested', kind: 'webhook', url: `${receiver.url}/500` });
    const test = await management.call(`/api/v1/notification-targets/${publicId}/test`, { method: 'POST' });
    expect(await test.json()).toEqual({ delivered: false, status: 500, error: 'HTTP 500: no' });
    const { body } = receiver.at('/500').at(-1) ?? { body: '{}' };
    expect(JSON.parse(body)).toMatchObject({ type: 'alert.test', data: { title: 'the target tested is reached' } });
    expect(await list('tested')).toEqual([]);
  });
});
