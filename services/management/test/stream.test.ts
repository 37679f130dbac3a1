import { connect } from 'node:net';
import { announcementSubject } from '@agp/bus';
import { createdApiKeySchema, statusSchema, streamEventSchema } from '@agp/core/contracts';
import { toAnnouncedEvent } from '@agp/core/events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Announcer, startAnnouncer } from './support/announcer.ts';
import { makeEvent } from './support/make-event.ts';
import { openStream } from './support/open-stream.ts';
import { seedAgent } from './support/seed.ts';
import { bootstrapKey, startTestManagement, type TestManagement } from './support/start-test-management.ts';

const alice = 'agt_01k9r3v8w5f2q8m6t4n0x7y1za';
const bob = 'agt_01k9r3v8w5f2q8m6t4n0x7y1zb';
const event = (agent: string, session: string, fields = {}) =>
  toAnnouncedEvent(makeEvent(agent, session, '2026-03-01T00:00:00.000Z', fields), `sha256:${'0'.repeat(64)}`);

let management: TestManagement;
let writer: Announcer;
beforeAll(async () => {
  management = await startTestManagement();
  writer = await startAnnouncer(management.stack.natsUrl);
});
afterAll(async () => {
  await writer[Symbol.asyncDispose]();
  await management[Symbol.asyncDispose]();
});

describe('the live stream', () => {
  test('sends its headers at once, as an event stream that must not be buffered or compressed', async () => {
    await using client = await openStream(management, '', { headers: { 'accept-encoding': 'gzip, br' } });
    const { status, headers } = client.response;
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(headers.get('cache-control')).toContain('no-cache');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('content-encoding')).toBeNull();
  });

  test('sends each event as two lines with exactly the documented fields', async () => {
    await using client = await openStream(management);
    const plain = event(alice, 'ses_one');
    const flagged = event(bob, 'ses_two', { pii_detected: true, pii_types: ['email'] });
    await writer.announce([plain, flagged]);
    await expect.poll(() => client.ids).toEqual([plain.id, flagged.id]);
    const write = ({ outcome: _, http_status: __, failure: ___, ...shown }: typeof plain) =>
      `event: agent_event\ndata: ${JSON.stringify(shown)}\n\n`;
    const { pii_types: _none, ...unflagged } = plain;
    expect(client.text).toBe(`${write(unflagged as typeof plain)}${write(flagged)}`);
    for (const [, data = ''] of client.text.matchAll(/^data: (.*)$/gm)) streamEventSchema.parse(JSON.parse(data));
    expect(client.text).not.toMatch(/direction|provider|total_tokens/);
  });

  test('sends an event that is announced again once, to clients that came later too', async () => {
    await using early = await openStream(management);
    const first = event(alice, 'ses_again');
    await writer.announce([first]);
    await expect.poll(() => early.ids).toEqual([first.id]);
    await using late = await openStream(management);
    const second = event(alice, 'ses_again');
    await writer.announce([first, second]);
    await expect.poll(() => late.ids).toEqual([second.id]);
    expect(early.ids).toEqual([first.id, second.id]);
  });

  test('filters by agent and by session', async () => {
    await using byAgent = await openStream(management, `?agent_id=${bob}`);
    await using bySession = await openStream(management, '?session_id=ses_f1');
    await using byBoth = await openStream(management, `?agent_id=${bob}&session_id=ses_f1`);
    await using byNobody = await openStream(management, '?agent_id=nobody');
    const [a1, b1, b2] = [event(alice, 'ses_f1'), event(bob, 'ses_f1'), event(bob, 'ses_f2')];
    await writer.announce([a1, b1, b2]);
    await expect.poll(() => byAgent.ids).toEqual([b1.id, b2.id]);
    await expect.poll(() => bySession.ids).toEqual([a1.id, b1.id]);
    await expect.poll(() => byBoth.ids).toEqual([b1.id]);
    expect(byNobody.ids).toEqual([]);
    await management.refuse(await management.call('/api/v1/events/stream?agent_id=a&agent_id=b'), 400, /^agent_id: /);
  });

  test('has the names of agents for those who ask, in the same order', async () => {
    const named = await seedAgent(management.database, 'named');
    await using plain = await openStream(management);
    await using expanded = await openStream(management, '?expand=agent,outcome&session_id=ses_named');
    // The second batch needs no look-up, and must not overtake the first.
    const events = [
      event(named, 'ses_named'),
      event(alice, 'ses_named'),
      event(named, 'ses_named'),
      event(named, 'ses_x'),
    ];
    for (const each of events) await writer.announce([each]);
    await expect.poll(() => expanded.ids).toEqual(events.slice(0, 3).map(({ id }) => id));
    const shown = [...expanded.text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
    expect(shown.map((each) => streamEventSchema.parse(each).agent_name)).toEqual(['named', undefined, 'named']);
    expect(shown.map((each) => each.outcome)).toEqual(events.slice(0, 3).map(({ outcome }) => outcome));
    expect(plain.text).not.toMatch(/agent_name|outcome/);
  });

  test('ends where an announcement was missed, and sends what comes with the next', async () => {
    const writerWithGap = await startAnnouncer(management.stack.natsUrl);
    await writerWithGap.announce([event(alice, 'ses_gap')]);
    await using client = await openStream(management);
    writerWithGap.loseOne();
    await writerWithGap.announce([event(alice, 'ses_gap')]);
    await client.ended;
    await using next = await openStream(management);
    const after = event(alice, 'ses_gap');
    await writerWithGap.announce([after]);
    await expect.poll(() => next.ids).toEqual([after.id]);
    await writerWithGap[Symbol.asyncDispose]();
  });

  test('ends where an announcement cannot be read', async () => {
    await using client = await openStream(management);
    await writer.publish(announcementSubject, 'no JSON');
    await client.ended;
    expect(client.text).toBe('');
  });

  test('ends a few seconds after its key was deleted, and only then', async () => {
    const made = await management.send('POST', '/api/v1/keys', { name: 'viewer', scopes: ['read'] });
    const key = createdApiKeySchema.parse(await made.json());
    await using mine = await openStream(management, '', { headers: { authorization: `Bearer ${key.secret}` } });
    await using other = await openStream(management);
    let otherEnded = false;
    const noteEnd = () => {
      otherEnded = true;
    };
    void other.ended.then(noteEnd, noteEnd);
    await management.call(`/api/v1/keys/${key.id}`, { method: 'DELETE' });
    await mine.ended;
    expect(otherEnded).toBe(false);
  });

  test('is counted while it is open', async () => {
    const open = async () => {
      const metrics = await (await fetch(`${management.service.opsUrl}/metrics`)).text();
      return Number(/^agp_management_open_streams (\d+)$/m.exec(metrics)?.[1]);
    };
    await expect.poll(open).toBe(0);
    {
      await using _client = await openStream(management);
      await expect.poll(open).toBe(1);
    }
    await expect.poll(open).toBe(0);
  });
});

test('silence is filled with keepalive comments, and a message starts the time anew', async () => {
  await using own = await startTestManagement({ keepaliveMs: 300 });
  await using ownWriter = await startAnnouncer(own.stack.natsUrl);
  await using quiet = await openStream(own, '?agent_id=nobody');
  await using busy = await openStream(own);
  for (let count = 0; count < 12; count += 1) {
    await ownWriter.announce([event(alice, 'ses_busy')]);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(busy.text).not.toContain('keepalive');
  expect(quiet.text).toMatch(/^(: keepalive\n\n)+$/);
  await expect.poll(() => busy.text).toMatch(/\n\n: keepalive\n\n$/);
});

test('without the broker all but the live stream works, its loss ends every stream, and its return opens them again', async () => {
  await using own = await startTestManagement();
  const agent = await seedAgent(own.database, 'stoppable');
  const readReadiness = async () => {
    const answer = await fetch(`${own.service.opsUrl}/readyz`);
    return [answer.status, await answer.json()];
  };
  const readMetric = async () =>
    /^agp_management_live_stream_available (\d)$/m.exec(
      await (await fetch(`${own.service.opsUrl}/metrics`)).text(),
    )?.[1];
  expect(await readMetric()).toBe('1');
  await using before = await openStream(own);
  await own.stack.nats.kill();
  await before.ended;
  const refused = await own.call('/api/v1/events/stream');
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(refused.headers.get('x-error-code')).toBe('live_stream_unavailable');
  await own.refuse(refused, 503, /^live stream unavailable: /);
  await expect.poll(readReadiness).toEqual([200, { status: 'ready', without: ['nats'] }]);
  expect(await readMetric()).toBe('0');
  expect((await own.send('PUT', `/api/v1/agents/${agent}`, { status: 'blocked' })).status).toBe(200);
  const { services } = await own.read('/api/v1/status', statusSchema);
  expect(services?.find(({ name }) => name === 'management')).toMatchObject({ state: 'ready' });
  expect(services?.find(({ name }) => name === 'nats')).toMatchObject({ state: 'not_ready' });
  await own.stack.nats.start();
  await expect.poll(readMetric).toBe('1');
  await using after = await openStream(own);
  await using ownWriter = await startAnnouncer(own.stack.natsUrl);
  const recorded = event(alice, 'ses_back');
  await ownWriter.announce([recorded]);
  await expect.poll(() => after.ids).toEqual([recorded.id]);
  await expect.poll(readReadiness).toEqual([200, { status: 'ready' }]);
});

test('a client that does not read is dropped at a bounded backlog, the others get everything', async () => {
  await using own = await startTestManagement();
  await using ownWriter = await startAnnouncer(own.stack.natsUrl);
  const { port } = new URL(own.service.url);
  const stalled = connect(Number(port), '127.0.0.1');
  const dropped = new Promise<void>((resolve) => stalled.once('close', () => resolve()));
  stalled.on('error', () => {});
  stalled.write(
    `GET /api/v1/events/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${bootstrapKey}\r\n\r\n`,
  );
  await new Promise((resolve) => stalled.once('readable', resolve));
  await using reading = await openStream(own);
  const sent: string[] = [];
  const batch = () => Array.from({ length: 100 }, () => event(alice, 'ses_flood', { model: 'm'.repeat(256) }));
  const openStreams = async () => {
    const metrics = await (await fetch(`${own.service.opsUrl}/metrics`)).text();
    return Number(/^agp_management_open_streams (\d+)$/m.exec(metrics)?.[1]);
  };
  expect(await openStreams()).toBe(2);
  while ((await openStreams()) === 2) {
    const events = batch();
    sent.push(...events.map(({ id }) => id));
    await ownWriter.announce(events);
    expect(sent.length).toBeLessThan(100_000);
  }
  stalled.resume();
  await dropped;
  await expect.poll(() => reading.ids.length).toBe(sent.length);
  expect(reading.ids).toEqual(sent);
});

test('a stop ends the streams and does not wait for them', async () => {
  const own = await startTestManagement({ shutdownGraceSeconds: 600 });
  const client = await openStream(own);
  const stopping = own.service.stop();
  expect(own.service.stop()).toBe(stopping);
  await stopping;
  await client.ended;
  await expect(fetch(own.service.url)).rejects.toThrow();
  await own[Symbol.asyncDispose]();
});
