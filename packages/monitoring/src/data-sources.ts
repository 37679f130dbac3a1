/** The data sources that `grafana/provisioning/datasources` makes; dashboards name them by uid. */
export const postgres = { type: 'grafana-postgresql-datasource', uid: 'agp-postgres' } as const;
export const prometheus = { type: 'prometheus', uid: 'agp-prometheus' } as const;
