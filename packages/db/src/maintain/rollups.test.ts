import { toPublicId } from '@agp/core/ids';
import { startTestStack } from '@agp/testing';
import { makeEventAt } from '@agp/testing/events';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { recordEvents } from '../record-events/record-events.ts';
import { hourlySums } from '../usage-columns.ts';
import { removeOldEvents } from './retention.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 5, 1);
let database: Database;

beforeAll(async () => {
  const stack = await startTestStack();
  database = openDatabase({ url: stack.databaseUrl, applicationName: 'rollups', maxConnections: 8, pipeline: true });
  return async () => {
    await database.close();
    await stack[Symbol.asyncDispose]();
  };
});

const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await database.pool.query<Row>(text, values)).rows;

const agents = ['0199a8c7-5d3e-7000-8000-00000000000a', '0199a8c7-5d3e-7000-8000-00000000000b'].map((id) =>
  toPublicId('agt', id),
);

/** Events of days, at odd times: of two agents, three models and two tags, some with findings. */
const makeEvents = (days: readonly number[], each: number) =>
  days.flatMap((day) =>
    Array.from({ length: each }, (_, at) =>
      makeEventAt(start + day * dayMs + at * 1_377_777, {
        session_id: `ses_rollup${day}x${at % 4}`,
        agent_id: agents[at % 2] as string,
        model: `model ${at % 3}`,
        provider: at % 5 === 0 ? 'anthropic' : 'openai',
        compliance_tag: at % 4 === 0 ? 'gdpr' : 'default',
        labels: at % 3 === 0 ? { team: `team ${at % 2}` } : null,
        cost_nano_usd: 1_000_003 * (at + 1),
        outcome: at % 7 === 0 ? 'failed' : 'completed',
        duration_ms: at * 1_000,
        counts_as_request: at % 9 !== 0,
        decision: (['observe', 'warn', 'observe'] as const)
          .slice(0, at % 4)
          .map((action, rule) => ({ policy: 'p', version: 1, rule: `r${rule % 2}`, action })),
        pii_detected: at % 6 === 0,
        pii_types: at % 6 === 0 ? ['EMAIL', 'PHONE'] : [],
      }),
    ),
  );

/** Usage by hour, with labels and without. */
const hours = ['hourly_usage', 'hourly_labelled']
  .map((table) => `SELECT hour, agent_id, model, provider, compliance_tag, ${hourlySums.join(', ')} FROM ${table}`)
  .join(' UNION ALL ');
const readLabelled = () =>
  query(
    'SELECT agent_id, label_set, model, sum(event_count) AS events FROM hourly_labelled GROUP BY 1, 2, 3 ORDER BY 1, 2, 3',
  );

/** Hours whose sums are not those of their day, by model; agents whose models are not the sum of their days. */
async function expectEqualSums(): Promise<void> {
  const sums = hourlySums.map((name) => `sum(${name}) AS ${name}`).join(', ');
  const ofAgents = hourlySums.slice(0, 5);
  expect(
    await query(`SELECT * FROM (
        SELECT (hour AT TIME ZONE 'UTC')::date AS day, agent_id, model, ${sums} FROM (${hours}) AS hours GROUP BY 1, 2, 3
      ) AS hours FULL JOIN daily_usage AS days USING (day, agent_id, model)
      WHERE (${hourlySums.map((name) => `hours.${name}`)}) IS DISTINCT FROM (${hourlySums.map((name) => `days.${name}`)})`),
  ).toEqual([]);
  expect(
    await query(`SELECT * FROM agent_usage AS agents FULL JOIN (
        SELECT agent_id, model, ${sums} FROM daily_usage GROUP BY 1, 2) AS days USING (agent_id, model)
      WHERE (${ofAgents.map((name) => `agents.${name}`)}) IS DISTINCT FROM (${ofAgents.map((name) => `days.${name}`)})`),
  ).toEqual([]);
}

test('retention merges hours into days, and keeps every sum', async () => {
  await recordEvents(database.pool, makeEvents([-9, -2, 0, 1, 2, 3, 4], 40));
  await expectEqualSums();
  const before =
    await query(`SELECT agent_id, model, provider, compliance_tag, sum(event_count) AS events FROM hourly_usage
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`);
  const findings = await query('SELECT kind, sum(event_count) AS events FROM hourly_findings GROUP BY 1 ORDER BY 1');
  const readDecisions = () =>
    query('SELECT rule, action, sum(event_count) AS events FROM hourly_decisions GROUP BY 1, 2 ORDER BY 1, 2');
  const labelled = await readLabelled();
  const decisions = await readDecisions();
  // Twice the same decision of a request counts once.
  expect(decisions).toEqual(
    await query(`
      SELECT rule, action, count(DISTINCT id) AS events FROM events CROSS JOIN LATERAL (
        SELECT '' AS rule, 'note' AS action FROM jsonb_array_elements(decision)
        UNION ALL SELECT each ->> 'rule', each ->> 'action' FROM jsonb_array_elements(decision) AS each
      ) AS decided WHERE counts_as_request GROUP BY 1, 2 ORDER BY 1, 2`),
  );
  await removeOldEvents(database.db, new Date(start + 9 * dayMs + 5_000), 7);
  const isWhole = `hour = date_trunc('day', hour, 'UTC')`;
  const cut = new Date(start + 2 * dayMs);
  for (const table of ['hourly_usage', 'hourly_labelled', 'hourly_findings', 'hourly_decisions']) {
    expect(await query(`SELECT FROM ${table} WHERE hour < $1 AND NOT ${isWhole}`, [cut])).toEqual([]);
    expect((await query(`SELECT FROM ${table} WHERE hour >= $1 AND NOT ${isWhole}`, [cut])).length).toBeGreaterThan(5);
  }
  expect(
    await query(`SELECT agent_id, model, provider, compliance_tag, sum(event_count) AS events FROM hourly_usage
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`),
  ).toEqual(before);
  expect(await query('SELECT kind, sum(event_count) AS events FROM hourly_findings GROUP BY 1 ORDER BY 1')).toEqual(
    findings,
  );
  expect(await readDecisions()).toEqual(decisions);
  expect(await readLabelled()).toEqual(labelled);
  await expectEqualSums();
});
