import { randomUUIDv7 } from 'node:crypto';
import { firstUuidAt, toPublicId, uuidOf } from '@agp/core/ids';
import { startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { CountedNames, otherNames } from './counted-names.ts';
import { recordEvents } from './record-events.ts';
import { maxModelsOfAgent, maxModelsOfDay, maxTagsOfHour, maxUnpricedModels } from './totals.ts';

let database: Database;

beforeAll(async () => {
  const stack = await startTestStack();
  database = openDatabase({
    url: stack.databaseUrl,
    applicationName: 'names',
    // More than records at once, so that each batch has its connection.
    maxConnections: 8,
    pipeline: true,
  });
  return async () => {
    await database.close();
    await stack[Symbol.asyncDispose]();
  };
});

const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await database.pool.query<Row>(text, values)).rows;

const hoursAgainstDays = `
  SELECT day, agent_id, model FROM daily_usage FULL JOIN (
    SELECT (hour AT TIME ZONE 'UTC')::date AS day, agent_id, model, sum(prompt_tokens) AS prompt,
      sum(completion_tokens) AS completion, sum(cost_usd) AS cost, sum(event_count) AS n, sum(request_count) AS requests
    FROM hourly_usage GROUP BY 1, 2, 3) AS hours USING (day, agent_id, model)
  WHERE (prompt_tokens, completion_tokens, cost_usd, event_count, request_count)
    IS DISTINCT FROM (prompt, completion, cost, n, requests)`;

/** Six writers, each with names of its own and one that all of them use, eight batches each. */
async function recordInvented(agentId: string, provider: string, prefix: string): Promise<number> {
  const batches = Array.from({ length: 48 }, (_, batch) => batch);
  let recorded = 0;
  const writers = Array.from({ length: 6 }, async () => {
    const counted = new CountedNames();
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const models = Array.from({ length: 30 }, (_, index) => `${prefix} ${batch} ${index}`);
      const events = [...models, 'gpt-4o-mini'].map((model) =>
        makeEvent({ agent_id: agentId, model, provider, price_version: null, cost_nano_usd: 7 }),
      );
      const result = await recordEvents(database.pool, events, counted);
      recorded += result.recorded.length;
    }
  });
  await Promise.all(writers);
  return recorded;
}

test('however many models agents invent, while many writers record them: names stay within their bounds, and sums are exact', async () => {
  const agentId = toPublicId('agt', randomUUIDv7());
  const recorded = await recordInvented(agentId, 'openai', 'invented');
  const [daily] = await query(
    `SELECT count(*) AS names, count(*) FILTER (WHERE model = $1) AS others, sum(request_count) AS requests,
       sum(event_count) AS events, sum(prompt_tokens) AS tokens, 1e9 * sum(cost_usd) AS cost,
       sum(request_count) FILTER (WHERE model = 'gpt-4o-mini') AS known FROM daily_usage`,
    [otherNames],
  );
  expect(daily).toEqual({
    names: maxModelsOfDay + 1,
    others: 1,
    requests: recorded,
    events: recorded,
    tokens: recorded * 812,
    cost: recorded * 7,
    known: 48,
  });
  const [unpriced] = await query(
    `SELECT count(*) AS names, sum(request_count) AS requests, sum(prompt_tokens) AS tokens,
       sum(request_count) FILTER (WHERE model = 'gpt-4o-mini') AS known FROM unpriced_usage`,
  );
  const expected = { names: maxUnpricedModels + 1, requests: recorded, tokens: recorded * 812, known: 48 };
  expect(unpriced).toEqual(expected);
  // Hours add up to their day, model by model, and an agent's usage of all time to its days.
  expect(await query(hoursAgainstDays)).toEqual([]);
  const [ofAgent] = await query(
    'SELECT count(*) AS names, sum(event_count) AS events, 1e9 * sum(cost_usd) AS cost FROM agent_usage',
  );
  expect(ofAgent).toEqual({ names: maxModelsOfAgent + 1, events: recorded, cost: recorded * 7 });
  // The events keep their names.
  expect(await query('SELECT count(DISTINCT model) AS names FROM events')).toEqual([{ names: recorded - 48 + 1 }]);

  // Another agent, day or provider has room of its own, and what has a name keeps being counted under it.
  const other = toPublicId('agt', randomUUIDv7());
  await recordEvents(database.pool, [
    makeEvent({ agent_id: other, model: 'one more', provider: 'mistral', price_version: null }),
    makeEvent({ agent_id: agentId, price_version: null }),
  ]);
  expect(await query(`SELECT request_count FROM daily_usage WHERE model = 'one more'`)).toEqual([{ request_count: 1 }]);
  expect(await query(`SELECT provider FROM unpriced_usage WHERE model = 'one more'`)).toEqual([
    { provider: 'mistral' },
  ]);
  expect(await query(`SELECT request_count FROM unpriced_usage WHERE model = 'gpt-4o-mini'`)).toEqual([
    { request_count: 49 },
  ]);
});

test('tags that an agent invents stay within their bound each hour, and what its models and providers cost stays exact', async () => {
  const agentId = toPublicId('agt', randomUUIDv7());
  const counted = new CountedNames();
  const timestamp = '2026-03-01T23:59:59.999Z';
  const id = () => toPublicId('evt', `${firstUuidAt(Date.parse(timestamp)).slice(0, 13)}${randomUUIDv7().slice(13)}`);
  for (let batch = 0; batch < 4; batch += 1) {
    const events = Array.from({ length: 90 }, (_, at) =>
      makeEvent({
        id: id(),
        timestamp,
        agent_id: agentId,
        compliance_tag: `t${batch} ${at}`,
        model: `m${at % 3}`,
        provider: `p${at % 2}`,
      }),
    );
    await recordEvents(
      database.pool,
      [
        ...events,
        makeEvent({ id: id(), timestamp, agent_id: agentId, compliance_tag: 't0 0', model: 'm0', provider: 'p0' }),
      ],
      counted,
    );
  }
  const ofAgent = [uuidOf('agt', agentId)];
  const [bounded] = await query(
    `SELECT count(*) FILTER (WHERE compliance_tag <> 'other') AS named, sum(event_count) AS events, min(hour) AS hour,
       sum(event_count) FILTER (WHERE model = 'm0' AND provider = 'p0' AND compliance_tag = 't0 0') AS known
     FROM hourly_usage WHERE agent_id = $1`,
    ofAgent,
  );
  expect(bounded).toEqual({ named: maxTagsOfHour, events: 364, hour: new Date('2026-03-01T23:00Z'), known: 5 });
  expect(
    await query(
      'SELECT model, provider, sum(event_count) AS events FROM hourly_usage WHERE agent_id = $1 GROUP BY 1, 2 ORDER BY 1, 2',
      ofAgent,
    ),
  ).toEqual(
    ['m0 p0 64', 'm0 p1 60', 'm1 p0 60', 'm1 p1 60', 'm2 p0 60', 'm2 p1 60'].map((line) => {
      const [model, provider, events] = line.split(' ');
      return { model, provider, events: Number(events) };
    }),
  );
  expect(await query(hoursAgainstDays)).toEqual([]);
});
