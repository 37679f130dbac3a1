/*
 * Callers choose what models are called, so a table that has a row for each name would grow by a row with each request. Names beyond
 * a bound share a row; the events themselves keep theirs.
 */

/** Models of one agent and UTC day that are counted by name. */
export const maxModelsOfDay = 200;

/** Models of one provider without a known price that are counted by name. */
export const maxUnpricedModels = 1_000;

/** The name that stands for all further ones. */
export const otherModels = 'other';

/**
 * The statement that a transaction sends before the one that counts names: it holds a lock for each group of names that may get a new one until the
 * transaction ends, so that writers at work at once do not each fill up the room they saw. It locks nothing where all names
 * are known, or the group is full. All take these locks in one order.
 *
 * @param groups a query for the groups' names, each as one text
 */
export function lockForNewNames(groups: string): string {
  return `
    SELECT pg_advisory_xact_lock(key) FROM (
      SELECT DISTINCT hashtextextended(name, 0) AS key FROM (${groups}) AS groups (name) ORDER BY key
    ) AS keys`;
}
