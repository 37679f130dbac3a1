import { randomUUIDv7 } from 'node:crypto';
import { firstUuidAt, toPublicId } from '@agp/core/ids';
import { startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { recordEvents } from '../record-events/record-events.ts';
import { countEvents, type EventFilter, listEvents } from './events.ts';

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;
const now = Date.now();
let database: Database;
/** All of them, the newest first. */
let rows: Record<string, unknown>[];
const agents = [randomUUIDv7(), randomUUIDv7()] as const;

beforeAll(async () => {
  const stack = await startTestStack();
  database = openDatabase({ url: stack.databaseUrl, applicationName: 'lists', maxConnections: 4, pipeline: true });
  // In the weeks, before the first and after the last of them, and several within a millisecond.
  const times = [-90, -20, -3, -1, 0, 0, 0, 1, 5, 30, 80].flatMap((weeks, place) =>
    Array.from({ length: 12 }, (_, at) => now + weeks * weekMs - Math.floor(at / 2) * 4 * minuteMs * (place + 1)),
  );
  const events = times.map((ms, at) =>
    makeEvent({
      id: toPublicId('evt', firstUuidAt(ms).slice(0, 13) + randomUUIDv7().slice(13)),
      timestamp: new Date(ms).toISOString(),
      agent_id: toPublicId('agt', agents[at % 2] as string),
      session_id: `ses_list${at % 7}`,
      model: at % 9 === 0 ? 'rare' : 'common',
      provider: at % 4 === 0 ? 'anthropic' : 'openai',
      compliance_tag: at % 5 === 0 ? 'gdpr' : 'default',
      pii_detected: at % 6 === 0,
      outcome: at % 3 === 0 ? 'failed' : at % 8 === 0 ? 'killed' : 'completed',
      http_status: at % 7 === 0 ? 500 : at % 11 === 0 ? 400 : 399,
    }),
  );
  await recordEvents(database.pool, events);
  // Recorded at once, a little late, late, and long after: replays and outages.
  await database.pool.query(
    `UPDATE events SET recorded_at = "timestamp" + interval '1 second' * (ARRAY[0, 1, 599, 600, 601, 4000, 700000])[1 + (random() * 6)::integer]`,
  );
  ({ rows } = await database.pool.query<Record<string, unknown>>('SELECT * FROM events ORDER BY id DESC'));
  return async () => {
    await database.close();
    await stack[Symbol.asyncDispose]();
  };
});

/** The whole list, as simply as it can be said. */
function readSimply(filter: EventFilter): string[] {
  const isIn = (row: Record<string, unknown>) =>
    (filter.agentId === undefined || row.agent_id === filter.agentId) &&
    (filter.sessionId === undefined || row.session_id === filter.sessionId) &&
    (filter.model === undefined || row.model === filter.model) &&
    (filter.provider === undefined || row.provider === filter.provider) &&
    (filter.complianceTag === undefined || row.compliance_tag === filter.complianceTag) &&
    (filter.piiDetected === undefined || row.pii_detected === filter.piiDetected) &&
    (!filter.failed || row.outcome === 'failed' || (row.outcome === 'completed' && Number(row.http_status) >= 400)) &&
    (filter.from === undefined || (row.timestamp as Date) >= filter.from) &&
    (filter.to === undefined || (row.timestamp as Date) < filter.to) &&
    (filter.recordedAfter === undefined || (row.recorded_at as Date) > filter.recordedAfter) &&
    (filter.cursor === undefined || (row.id as string) < filter.cursor);
  return rows.filter(isIn).map(({ id }) => id as string);
}

const filters: EventFilter[] = [
  {},
  { agentId: agents[0] },
  { sessionId: 'ses_list3' },
  { model: 'rare' },
  { model: 'of nobody' },
  { provider: 'anthropic', piiDetected: true },
  { complianceTag: 'gdpr' },
  { failed: true },
  { failed: true, model: 'rare' },
];
const times = [-91, -20, -2, 0, 3, 31, 90].map((weeks) => new Date(now + weeks * weekMs - 8 * minuteMs));

test('lists are whole and in order whatever the weeks are, and pages join without a gap', async () => {
  const ranges = [{}, ...times.flatMap((from) => [{ from }, { to: from }, { from, to: new Date(now) }])];
  for (const filter of filters) {
    for (const range of ranges) {
      const wanted = readSimply({ ...filter, ...range });
      const all = await listEvents(database.db, { ...filter, ...range }, { limit: 1_000, offset: 0 });
      expect(all.map(({ id }) => id)).toEqual(wanted);
    }
    const wanted = readSimply(filter);
    const pages: string[] = [];
    for (let cursor: string | undefined; ; cursor = pages.at(-1)) {
      const page = await listEvents(database.db, { ...filter, cursor }, { limit: 9, offset: 0 });
      pages.push(...page.map(({ id }) => id));
      if (page.length < 9) break;
    }
    expect(pages).toEqual(wanted);
    const offset = await listEvents(database.db, filter, { limit: 5, offset: 7 });
    expect(offset.map(({ id }) => id)).toEqual(wanted.slice(7, 12));
  }
});

test('what was recorded after a time is listed whole, however late it came', async () => {
  for (const filter of filters) {
    for (const recordedAfter of times.map((time, at) => new Date(time.getTime() + (at % 2) * 11 * minuteMs))) {
      for (const range of [{}, { from: times[1] }, { to: times[3] }]) {
        const wanted = readSimply({ ...filter, ...range, recordedAfter });
        const all = await listEvents(database.db, { ...filter, ...range, recordedAfter }, { limit: 1_000, offset: 0 });
        expect(all.map(({ id }) => id)).toEqual(wanted);
        expect(await countEvents(database.db, { ...filter, ...range, recordedAfter, cursor: wanted[1] })).toBe(
          wanted.length,
        );
        const page = { limit: 4, offset: 2 };
        const some = await listEvents(database.db, { ...filter, ...range, recordedAfter, cursor: wanted[1] }, page);
        expect(some.map(({ id }) => id)).toEqual(wanted.slice(4, 8));
      }
    }
  }
});

test('without any week, events are listed all the same', async () => {
  const found = await database.pool.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass`,
  );
  const wanted = readSimply({});
  const weeks = found.rows.map(({ name }) => name).filter((name) => name !== 'events_default');
  for (const name of weeks) {
    await database.pool.query(`ALTER TABLE events DETACH PARTITION ${name}`);
    await database.pool.query(`INSERT INTO events SELECT * FROM ${name}`);
  }
  const all = await listEvents(database.db, {}, { limit: 1_000, offset: 0 });
  expect(all.map(({ id }) => id)).toEqual(wanted);
});
