import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '@agp/db';
import { alerts, dashboards, runbookPage } from '@agp/monitoring';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMetrics } from '../system/read-metric.ts';
import { type System, startSystem } from '../system/start-system.ts';
import { listFiles } from '../workspace/list-files.ts';
import { workspaceFolder } from '../workspace/run-tool.ts';
import { findLogMessages } from './find-log-messages.ts';
import { readSnippets } from './read-snippets.ts';

const page = readFileSync(join(workspaceFolder, 'docs/monitoring.md'), 'utf8');
const runbooks = readdirSync(join(workspaceFolder, 'docs/runbooks')).map((name) => `docs/runbooks/${name}`);

let system: System;
let grafana: Database;

beforeAll(async () => {
  system = await startSystem();
  const url = system.stack.urls.grafana.databaseUrl;
  grafana = openDatabase({ url, applicationName: 'grafana-test', maxConnections: 1 });
});
afterAll(async () => {
  await grafana?.close();
  await system?.[Symbol.asyncDispose]();
});

test.each(['proxy', 'writer', 'management'] as const)(
  'the page has every metric of the %s, and no other',
  async (name) => {
    const service = name === 'management' ? system.management : system[name === 'proxy' ? 'proxies' : 'writers'][0];
    const text = await readMetrics(service);
    const registered = [...text.matchAll(/^# TYPE (agp_\w+) \w+$/gm)]
      .map(([, metric]) => metric)
      .filter((each) => each !== 'agp_build_info' && each !== 'agp_ready');
    expect(registered.length).toBeGreaterThan(5);
    const documented = [...page.matchAll(/^- `(agp_\w+)`/gm)]
      .map(([, metric = '']) => metric)
      .filter((each) => each.startsWith(`agp_${name}_`));
    expect(documented.sort()).toEqual(registered.sort());
  },
);

test('the page has every view and function, and no column of 0.3.0 is gone', async () => {
  const documented = [...page.matchAll(/^- (`reporting\.\w+`(?:, `reporting\.\w+`)*): /gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/\.(\w+)/g)].map(([, name]) => name),
  );
  const { rows } = await system.database.pool.query<{ name: string; columns: string[] }>(
    `SELECT table_name AS name, array_agg(column_name::text ORDER BY ordinal_position) AS columns
     FROM information_schema.columns WHERE table_schema = 'reporting' GROUP BY 1`,
  );
  const columns = Object.fromEntries(rows.map(({ name, columns }) => [name, columns]));
  expect(documented.sort()).toEqual(Object.keys(columns).sort());
  const promised = join(workspaceFolder, 'test/recording/compatibility/0.3.0/reporting.json');
  for (const [view, names] of Object.entries(JSON.parse(readFileSync(promised, 'utf8')) as Record<string, string[]>))
    expect(columns[view], view).toEqual(expect.arrayContaining(names));
  const functions = await system.database.pool.query<{ name: string }>(
    `SELECT routine_name AS name FROM information_schema.routines WHERE routine_schema = 'reporting'`,
  );
  const named = [...page.matchAll(/^- `reporting\.(\w+)\(/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(functions.rows.map(({ name }) => name).sort());
});

test('no view holds a payload, a secret, or an address', async () => {
  const { rows } = await system.database.pool.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'reporting'`,
  );
  expect(
    rows
      .map(({ name }) => name)
      .filter((name) => /payload|secret|sha256|hash|bytes|source_ip|metadata|reason_text/.test(name)),
  ).toEqual([]);
});

test('the page has every dashboard', () => {
  const [, section = ''] = /^## Dashboards\n\n(.+)\.$/m.exec(page) ?? [];
  expect(section.split(', ').map((title) => `AGP / ${title}`)).toEqual(
    Object.values(dashboards).map(({ title }) => title),
  );
});

test('every alert has its runbook, and every runbook its alert', () => {
  const pages = alerts.map(({ name }) => runbookPage(name));
  expect([...runbooks].sort()).toEqual([...pages, 'docs/runbooks/README.md'].sort());
  const index = readFileSync(join(workspaceFolder, 'docs/runbooks/README.md'), 'utf8');
  for (const { name, severity } of alerts) {
    const text = readFileSync(join(workspaceFolder, runbookPage(name)), 'utf8');
    expect(text).toMatch(new RegExp(`^# ${name}\n\n\\*\\*${severity}\\.\\*\\* `, 'i'));
    expect(text).toContain('\n## What to look at\n');
    expect(text).toContain('\n## What to do\n');
    const row = index.split('\n').find((line) => line.startsWith(`| ${severity} |`)) ?? '';
    expect(row).toContain(`[${name}](${runbookPage(name).split('/').at(-1)})`);
  }
});

const pages = [...runbooks, 'docs/monitoring.md'];

test.each(pages.flatMap((path) => readSnippets(path, 'sql').map((text) => ({ path, text }))))(
  'SQL of $path runs as Grafana: $text',
  async ({ text }) => {
    for (const statement of text.split(';').filter((each) => each.trim() !== ''))
      expect((await grafana.pool.query(statement)).fields.length).toBeGreaterThan(0);
  },
);

const logs = runbooks
  .flatMap((path) => readSnippets(path, 'sh'))
  .flatMap((text) => [...text.matchAll(/logs -l app\.kubernetes\.io\/name=(\w+) .*grep '([^']+)'/g)])
  .flatMap(([, service = '', pattern = '']) => pattern.split('\\|').map((wanted) => ({ service, wanted })));

test('every search of the runbooks in logs is looked at', () => {
  const all =
    runbooks
      .flatMap((path) => readSnippets(path, 'sh'))
      .join('')
      .match(/grep '[^']*'/g) ?? [];
  expect(logs.length).toBe(all.join('').split(/grep|\\\|/).length - 1);
  expect(logs.length).toBeGreaterThan(8);
});

test.each(logs)(
  'what runbooks look for in the log of the $service is a message of it: $wanted',
  ({ service, wanted }) => {
    const messages = listFiles()
      .filter((path) => path.startsWith(`services/${service}/src/`) || /^packages\/(bus|runtime)\/src\//.test(path))
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .flatMap((path) => findLogMessages(readFileSync(join(workspaceFolder, path), 'utf8')));
    expect(messages.length).toBeGreaterThan(10);
    expect(messages.filter((message) => message.includes(wanted))).not.toEqual([]);
  },
);

test('links of the runbooks lead somewhere', () => {
  const links = runbooks.flatMap((path) =>
    [...readFileSync(join(workspaceFolder, path), 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(
      ([, link = '']) => link,
    ),
  );
  expect(links.length).toBeGreaterThan(alerts.length);
  expect(links.filter((link) => !existsSync(join(workspaceFolder, 'docs/runbooks', link)))).toEqual([]);
});
