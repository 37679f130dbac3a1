/** Grafana may read all views and call all functions of this schema, and nothing else. */
export const reportingSchema = 'reporting';

/** A role without a login, and the schema that it sees. */
export const teamRole = 'agp_team';

/** A setting of each connection of that role: the labels of its team, as JSON. Without it, every statement fails. */
export const teamSetting = 'agp.team';
