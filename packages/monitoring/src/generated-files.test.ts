import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { dashboards, listGeneratedFiles } from './generated-files.ts';
import { postgres, prometheus, sessionsOfAgent } from './panels.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const files = listGeneratedFiles();

test.each(files)('$path is what "npm run generate" makes', ({ path, text }) => {
  expect(read(path)).toBe(text);
});

test('every file next to them is generated too', () => {
  const lying = ['grafana/dashboards', 'prometheus'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  );
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(lying));
});

test('dashboards have a uid of their own, and every panel a number, a title, a description, a unit, a source and a query', () => {
  const uids = Object.values(dashboards).map(({ uid }) => uid);
  expect(new Set(uids).size).toBe(uids.length);
  for (const [name, { panels = [] }] of Object.entries(dashboards)) {
    const ids = panels.map(({ id }) => id);
    expect(new Set(ids).size, name).toBe(ids.length);
    for (const panel of panels) {
      if (panel.type === 'row') continue;
      expect(panel, `${name}: ${panel.title}`).toMatchObject({
        title: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\S/),
        datasource: { uid: expect.stringMatching(/^agp-(postgres|prometheus)$/) },
        fieldConfig: { defaults: { unit: expect.stringMatching(/\S/) } },
        targets: expect.arrayContaining([expect.objectContaining({ refId: 'A' })]),
      });
    }
    const titles = panels.filter(({ type }) => type !== 'row').map(({ title }) => title);
    expect(new Set(titles).size, name).toBe(titles.length);
  }
});

test('names that agents and models chose are shown as text alone: no panel renders HTML, and a link holds none but encoded', () => {
  for (const [name, dashboard] of Object.entries(dashboards)) {
    const panels = JSON.stringify(dashboard.panels).replaceAll(JSON.stringify([sessionsOfAgent]), '[]');
    expect(panels, name).not.toMatch(
      /"type":"(?:text|html|image|markdown)"|"mode":"(?:html|markdown)"|"links":\[[^\]]|\$\{__(?:value|data|field)/,
    );
  }
});

test("agents lead to their sessions wherever a table has them, encoded, to the sessions dashboard's own variable", () => {
  const { uid, templating } = dashboards.sessions ?? {};
  const [, target, variable] =
    /^\/d\/([\w-]+)\?.*&var-(\w+)=\$\{__value\.raw:percentencode\}$/.exec(sessionsOfAgent.url) ?? [];
  expect([target, variable]).toEqual([uid, templating?.list?.[0]?.name]);
  const linked = Object.values(dashboards)
    .flatMap(({ panels = [] }) => panels)
    .filter((panel) => JSON.stringify(panel).includes(JSON.stringify(sessionsOfAgent)))
    .map(({ title }) => title);
  expect(linked).toEqual(expect.arrayContaining(['Active agents', 'Blocked agents', 'Budgets of active agents']));
});

test('caps that are not set say so, where Grafana would say "No data"', () => {
  const panels = dashboards.budgets?.panels ?? [];
  const textOf = (title: string) => {
    const panel = panels.find((each) => each.title === title);
    return panel && 'fieldConfig' in panel ? panel.fieldConfig?.defaults?.noValue : undefined;
  };
  for (const title of ['Cap of all agents', 'Left today', 'Used']) expect(textOf(title), title).toBe('no cap');
  expect(textOf('Active agents nearest to their cap')).toBe('no agent has a cap');
});

test('Grafana is given the sources that the dashboards name, and no password but one from a file', () => {
  const text = read('grafana/provisioning/datasources/agp.yml');
  const { datasources } = parse(text) as {
    datasources: {
      type: string;
      uid: string;
      isDefault?: boolean;
      user?: string;
      secureJsonData?: { password: string };
    }[];
  };
  // Grafana starts with one default at most, and kube-prometheus-stack's is one.
  expect(datasources.map(({ isDefault }) => isDefault)).toEqual([undefined, undefined]);
  expect(datasources.map(({ type, uid }) => ({ type, uid }))).toEqual([postgres, prometheus]);
  expect(datasources[0]).toMatchObject({
    user: 'agp_grafana',
    secureJsonData: { password: '$__file{/run/secrets/agp/database-password}' },
  });
});

test('kustomize has every dashboard in a ConfigMap of its own that client-side apply can take', () => {
  const { configMapGenerator } = parse(read('kustomization.yaml')) as {
    configMapGenerator: { name: string; files: string[]; options?: { labels?: object } }[];
  };
  const listed = configMapGenerator.filter(({ name }) => name.startsWith('agp-grafana-dashboard-'));
  expect(listed.filter(({ name }) => !name.endsWith('-provider')).map(({ files }) => files)).toEqual(
    Object.keys(dashboards).map((name) => [`grafana/dashboards/${name}.json`]),
  );
  // What `kubectl apply` writes into an annotation, where 262,144 bytes have room, is JSON in JSON.
  for (const { files } of configMapGenerator)
    for (const path of files) expect(JSON.stringify(read(path.replace(/^.*=/, ''))).length, path).toBeLessThan(131_072);
});
