/** The data sources of `grafana/provisioning/datasources`, which dashboards refer to by uid. */
export const postgres = { type: 'grafana-postgresql-datasource', uid: 'agp-postgres' } as const;
export const prometheus = { type: 'prometheus', uid: 'agp-prometheus' } as const;
