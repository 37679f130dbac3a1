import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainSkip, findPromtool } from '@agp/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { plantedSeries } from '../../test/planted-series.ts';
import { alerts, inKubernetes, renderAlerts, renderPrometheusConfig } from '../generated-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'agp-alerts-'));
let promtool: Awaited<ReturnType<typeof findPromtool>> | null = null;
/** Said of each test that is left out. */
let whyNot = '';

beforeAll(async () => {
  writeFileSync(join(folder, 'alerts.yml'), stringify(renderAlerts(), { lineWidth: 0 }));
  promtool = await findPromtool().catch((error: unknown) => {
    whyNot = explainSkip(error);
    process.stderr.write(`${whyNot}\n`);
    return null;
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]): { status: number | null; output: string } {
  if (promtool === null) throw new Error('no promtool');
  const { status, stdout, stderr } = spawnSync(promtool.file, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', ...promtool.environment },
  });
  return { status, output: stdout + stderr };
}

function toTest(name: string, series: Record<string, string>, firing: number): object {
  return {
    interval: '1m',
    name: `${name} ${firing === 0 ? 'is quiet' : 'fires'}`,
    input_series: Object.entries(series).map(([each, values]) => ({ series: each, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${name}",alertstate="firing"})`,
        eval_time: '60m',
        exp_samples: firing === 0 ? [] : [{ labels: '{}', value: firing }],
      },
    ],
  };
}

test('alerts differ in their names, and each has series that it is tried with', () => {
  const names = alerts.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(plantedSeries).sort()).toEqual([...names].sort());
  expect(names.filter((name) => !/^(Agp)([A-Z][a-z]+)+$/.test(name))).toEqual([]);
});

test('promtool takes the rules', ({ skip }) => {
  if (promtool === null) return skip(whyNot);
  const { status, output } = run('check', 'rules', 'alerts.yml');
  expect(output).toContain(`${alerts.length} rules found`);
  expect(status, output).toBe(0);
});

test.for([
  ['compose', renderPrometheusConfig(undefined, { rules: 'alerts.yml' })],
  ['Kubernetes', renderPrometheusConfig(inKubernetes, { rules: 'alerts.yml' })],
] as const)('promtool takes the configuration for %s', ([name, config], { skip }) => {
  if (promtool === null) return skip(whyNot);
  const file = `${name}.yml`;
  // Debian's is built without the search for pods; what is done with found ones can be checked.
  const text = JSON.stringify(config, (key, value) => (key === 'kubernetes_sd_configs' ? undefined : value));
  writeFileSync(join(folder, file), text);
  const { status, output } = run('check', 'config', file);
  expect(status, output).toBe(0);
});

test('each alert fires on what it is for, and is quiet close to it', ({ skip }) => {
  if (promtool === null) return skip(whyNot);
  const tests = alerts.flatMap(({ name }) => {
    const { sick = {}, healthy = {} } = plantedSeries[name] ?? {};
    return [...[sick].flat().map((each) => toTest(name, each, 1)), toTest(name, healthy, 0)];
  });
  const file = { rule_files: ['alerts.yml'], evaluation_interval: '5m', tests };
  writeFileSync(join(folder, 'tests.yml'), stringify(file));
  const { status, output } = run('test', 'rules', 'tests.yml');
  expect(status, output).toBe(0);
});
