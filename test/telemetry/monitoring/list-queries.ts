import { dashboards } from '@agp/monitoring';

type Dashboard = (typeof dashboards)[string];

/** A query of a panel, or of a template variable, with words that find it. */
export interface FoundQuery {
  where: string;
  panelTitle: string;
  dashboard: string;
  text: string;
}

interface Target {
  rawSql?: string;
  expr?: string;
}

function targetsOf(name: string, dashboard: Dashboard): (FoundQuery & { kind: 'sql' | 'prom' })[] {
  return (dashboard.panels ?? []).flatMap((panel) => {
    if (!('targets' in panel)) return [];
    return (panel.targets as Target[]).map((target) => ({
      where: `${name}: ${panel.title}`,
      panelTitle: panel.title ?? '',
      dashboard: name,
      kind: target.rawSql === undefined ? ('prom' as const) : ('sql' as const),
      text: target.rawSql ?? target.expr ?? '',
    }));
  });
}

const all = Object.entries(dashboards).flatMap(([name, dashboard]) => targetsOf(name, dashboard));

export const sqlQueries: FoundQuery[] = all.filter(({ kind }) => kind === 'sql');
export const promQueries: FoundQuery[] = all.filter(({ kind }) => kind === 'prom');

/** The template variables of all dashboards; their query is SQL, or a function of Grafana's over a metric. */
export const variables = Object.entries(dashboards).flatMap(([dashboard, { templating }]) =>
  (templating.list ?? []).map(({ name, query, allValue, datasource }) => ({
    where: `${dashboard}: $${name}`,
    name,
    query: query as string,
    allValue: allValue as string,
    source: datasource?.uid,
  })),
);

/** What dashboards mark on their time. */
export const annotations = Object.entries(dashboards).flatMap(([dashboard, { annotations: { list = [] } = {} }]) =>
  list.map(({ name, target }) => ({
    where: `${dashboard}: ${name}`,
    text: (target as unknown as Target | undefined)?.rawSql ?? '',
  })),
);
