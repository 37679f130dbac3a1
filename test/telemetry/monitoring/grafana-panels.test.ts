import { type Database, openDatabase } from '@agp/db';
import { insertAlert } from '@agp/testing/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expandSql } from './expand-macros.ts';
import { annotations, sqlQueries, variables } from './list-queries.ts';
import { type MonitoredSystem, startMonitoredSystem } from './make-traffic.ts';

let monitored: MonitoredSystem;
let grafana: Database;

beforeAll(async () => {
  monitored = await startMonitoredSystem();
  grafana = openDatabase({
    url: monitored.system.stack.urls.grafana.databaseUrl,
    applicationName: 'grafana-test',
    maxConnections: 1,
  });
});
afterAll(async () => {
  await grafana?.close();
  await monitored?.[Symbol.asyncDispose]();
});

const range = () => ({ from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 60_000) });
const everything = Object.fromEntries(variables.map(({ name, allValue }) => [name, allValue]));

async function ask(sql: string, chosen: Record<string, string> = everything): Promise<Record<string, unknown>[]> {
  return (await grafana.pool.query(expandSql(sql, range(), chosen))).rows;
}

test('Grafana’s role reads views and no table, and changes nothing', async () => {
  const { rows } = await grafana.pool.query<{ role: string }>('SELECT current_user AS role');
  expect(rows).toEqual([{ role: 'agp_grafana' }]);
  await expect(grafana.pool.query('SELECT payload FROM public.events')).rejects.toThrow('permission denied');
  await expect(grafana.pool.query('SELECT * FROM public.api_keys')).rejects.toThrow('permission denied');
  await grafana.pool.query('BEGIN READ WRITE');
  await expect(grafana.pool.query('UPDATE reporting.unpriced_models SET request_count = 0')).rejects.toThrow(
    'permission denied',
  );
  await grafana.pool.query('ROLLBACK');
});

test.each(sqlQueries)('$where has rows', async ({ text }) => {
  const rows = await ask(text);
  expect(rows.length).toBeGreaterThan(0);
  // A row of nothing but nulls is an empty panel too.
  expect(Object.values(rows[0] ?? {}).filter((value) => value !== null)).not.toEqual([]);
});

test.each(sqlQueries.filter(({ text }) => text.includes('AS "time"')))(
  '$where is a series over time',
  async ({ text }) => {
    const [row = {}] = await ask(text);
    const values = Object.values(row);
    expect(values[0] instanceof Date || typeof values[0] === 'number').toBe(true);
    expect(values.slice(1).some((value) => typeof value === 'number')).toBe(true);
    // A text column of another name comes after the number's in every legend: "value steady".
    const texts = Object.keys(row).filter((column) => typeof row[column] === 'string');
    expect(texts).toEqual(texts.length === 0 ? [] : ['metric']);
    if (texts.length > 0) expect(values).toHaveLength(3);
  },
);

test.each(variables.filter(({ source }) => source === 'agp-postgres'))('$where offers agents', async ({ query }) => {
  const rows = await ask(query);
  expect(rows.map((row) => row.agent_name)).toContain('steady');
});

test('alerts stand on the time of every dashboard from their beginning until they are over, as text alone', async () => {
  const { pool } = monitored.system.database;
  const openedAt = new Date(Date.now() - 3_600_000);
  await insertAlert(pool, { title: 'agent <b>& fails', openedAt });
  await insertAlert(pool, { title: 'long ago', openedAt: new Date('2020-01-01') });
  await pool.query("UPDATE alerts SET resolved_at = '2020-01-02' WHERE title = 'long ago'");
  expect(annotations.length).toBe(new Set(sqlQueries.map(({ dashboard }) => dashboard)).size);
  for (const { where, text } of annotations) {
    const rows = await ask(text);
    const row = rows.find((each) => each.text === 'agents-failing: agent &lt;b>&amp; fails');
    expect(row, where).toEqual({ time: openedAt, timeend: expect.any(Date), text: row?.text, tags: 'critical' });
    expect(JSON.stringify(rows), where).not.toContain('long ago');
  }
});

test('a choice of agents leaves the others out, whatever is in their names', async () => {
  const table = sqlQueries.find(({ where }) => where === 'agents: Active agents')?.text ?? '';
  const chosen = await ask(table, { agent: "'quote '' and \\','o''brien'" });
  expect(chosen.map((row) => row.Agent).sort()).toEqual(["quote ' and \\", "o'brien"].sort());
});

/** Where agents that are not active belong, and the list of all sessions. */
const ofOthers = [
  'Blocked agents',
  'Retired agents that still send',
  'Refused agents',
  'Agents with personal data or secrets',
];

test('an agent that is retired is in no panel of active agents, though it still sends; nor is a blocked one', async () => {
  const shown = new Map<string, string[]>();
  const ofActive = sqlQueries.filter(
    ({ dashboard, panelTitle }) => dashboard !== 'sessions' && !ofOthers.includes(panelTitle),
  );
  for (const { where, text } of ofActive) {
    const cells = (await ask(text)).flatMap((row) => Object.values(row));
    shown.set(
      where,
      cells.filter((cell) => typeof cell === 'string'),
    );
  }
  const withName = (name: string) => [...shown].filter(([, cells]) => cells.includes(name)).map(([where]) => where);
  expect(withName('steady').length).toBeGreaterThanOrEqual(5);
  expect(withName('leaver')).toEqual([]);
  expect(withName('stopped')).toEqual([]);
  const find = async (title: string) =>
    (await ask(sqlQueries.find(({ panelTitle }) => panelTitle === title)?.text ?? '')).map((row) => row.Agent);
  expect(await find('Retired agents that still send')).toEqual(['leaver']);
  expect(await find('Blocked agents')).toEqual(['stopped']);
});
