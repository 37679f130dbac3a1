import { alerts, renderAlerts, renderPrometheusConfig, runbookPage, type Targets } from '@agp/monitoring';
import { explainSkip, startTestPrometheus } from '@agp/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSnippets } from '../../docs/read-snippets.ts';
import { waitFor } from '../../system/start-system.ts';
import { expandPromql } from './expand-macros.ts';
import { promQueries, variables } from './list-queries.ts';
import { type MonitoredSystem, startMonitoredSystem } from './make-traffic.ts';

interface Sample {
  metric: Record<string, string>;
  value: [number, string];
}

let monitored: MonitoredSystem;
let prometheus: Awaited<ReturnType<typeof startTestPrometheus>> | null = null;
/** Said of each test that is left out. */
let whyNot = '';

beforeAll(async () => {
  monitored = await startMonitoredSystem();
  const { system } = monitored;
  // The caps were set after the first one had read them, and it reads them once a minute.
  const managements = [system.management, await system.start('management')];
  const toTargets = (services: { opsUrl: string }[]): Targets => ({
    addresses: services.map(({ opsUrl }) => new URL(opsUrl).host),
  });
  const jobs = {
    'agp-proxy': toTargets(system.proxies),
    'agp-management': toTargets(managements),
    'agp-writer': toTargets(system.writers),
  };
  const config = renderPrometheusConfig(jobs, { every: '1s', rules: 'alerts.yml' });
  try {
    // JSON is YAML.
    prometheus = await startTestPrometheus({
      'prometheus.yml': JSON.stringify(config),
      'alerts.yml': JSON.stringify(renderAlerts()),
    });
  } catch (error) {
    whyNot = explainSkip(error);
    console.warn(whyNot);
    return;
  }
  await waitFor('three looks at every service', async () => {
    const samples = await ask('min(count_over_time(up{job=~"agp-.*"}[1m])) and count(up == 1) == 4');
    return Number(samples[0]?.value[1]) >= 3;
  });
});
afterAll(async () => {
  await prometheus?.[Symbol.asyncDispose]();
  await monitored?.[Symbol.asyncDispose]();
});

async function get<Data>(path: string): Promise<Data> {
  const answer = await fetch(`${prometheus?.url}/api/v1/${path}`);
  const { status, data, error } = (await answer.json()) as { status: string; data: Data; error?: string };
  if (status !== 'success') throw new Error(error);
  return data;
}

async function ask(expression: string): Promise<Sample[]> {
  return (await get<{ result: Sample[] }>(`query?query=${encodeURIComponent(expression)}`)).result;
}

test.for(alerts)('$name looks at series that exist', async ({ expression }, { skip }) => {
  if (prometheus === null) return skip(whyNot);
  expect((await ask(expression)).length).toBeGreaterThan(0);
});

test('Prometheus evaluates every alert without an error', async ({ skip }) => {
  if (prometheus === null) return skip(whyNot);
  const { groups } = await waitFor('the rules to be evaluated', async () => {
    const found = await get<{ groups: { rules: { name: string; health: string; lastError?: string }[] }[] }>('rules');
    return !found.groups.some(({ rules }) => rules.some(({ health }) => health === 'unknown')) && found;
  });
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.map(({ name }) => name).sort()).toEqual(alerts.map(({ name }) => name).sort());
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
});

test('a system that runs well alarms about a model without a price and an agent at its cap, and about nothing else', async ({
  skip,
}) => {
  if (prometheus === null) return skip(whyNot);
  await fetch(`${monitored.system.proxies[0]?.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': 'steady' },
    body: JSON.stringify({ model: 'another-without-a-price', messages: [{ role: 'user', content: 'hello' }] }),
  });
  const firing = await waitFor('the alerts', async () => {
    const samples = await ask('ALERTS{alertstate="firing"}');
    return samples.some(({ metric }) => metric.alertname === 'AgpUnpricedModels') && samples;
  });
  expect(firing.map(({ metric }) => metric.alertname).sort()).toEqual(['AgpAgentsNearCap', 'AgpUnpricedModels']);
});

test('errors that a provider answers with move the alert about it', async ({ skip }) => {
  if (prometheus === null) return skip(whyNot);
  const { expression, condition } = alerts.find(({ name }) => name === 'AgpProviderFailing') as (typeof alerts)[number];
  const failing = () => ask(`(${expression}) ${condition}`);
  expect(await failing()).toEqual([]);
  for (let count = 0; count < 20; count += 1) {
    const answer = await fetch(`${monitored.system.proxies[0]?.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': 'steady' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'fail now' }] }),
    });
    await answer.text();
    expect(answer.status).toBe(500);
  }
  const [sample] = await waitFor('the share of failures', async () => {
    const samples = await failing();
    return samples.length > 0 && samples;
  });
  expect(sample?.metric).toEqual({ provider: 'openai' });
});

test.for(promQueries)('$where has series: $text', async ({ text }, { skip }) => {
  if (prometheus === null) return skip(whyNot);
  const chosen = Object.fromEntries(variables.map(({ name, allValue }) => [name, allValue]));
  expect((await ask(expandPromql(text, chosen))).length).toBeGreaterThan(0);
});

test.for(variables.filter(({ source }) => source === 'agp-prometheus'))(
  '$where offers providers',
  async ({ query }, { skip }) => {
    if (prometheus === null) return skip(whyNot);
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
    expect(await get<string[]>(`label/${label}/values?match[]=${metric}`)).toContain('openai');
  },
);

const ofRunbooks = alerts.flatMap(({ name }) =>
  readSnippets(runbookPage(name), 'promql').map((expression) => ({ name, expression: expression.trim() })),
);

test.for(ofRunbooks)(
  'the runbook of $name asks what Prometheus understands: $expression',
  async ({ expression }, { skip }) => {
    if (prometheus === null) return skip(whyNot);
    expect(await ask(expression)).toBeInstanceOf(Array);
    // And of metrics that there are: a name is all that a typing error leaves wrong.
    const metrics = new Set(await get<string[]>('label/__name__/values'));
    const named = expression.match(/\b(agp|nodejs|process)_\w+\b(?!")/g) ?? [];
    expect(named.filter((metric) => !metrics.has(metric))).toEqual([]);
  },
);
