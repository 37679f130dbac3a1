import type { Kysely } from 'kysely';
import { agentTables } from './baseline-agents.ts';
import { auditTables } from './baseline-audit.ts';
import { eventTables } from './baseline-events.ts';
import { reportingViews } from './baseline-reporting.ts';
import { usageTables } from './baseline-usage.ts';

/** The schema of 0.3.0, which every later migration changes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...agentTables, ...eventTables, ...usageTables, ...auditTables, ...reportingViews])
    await statement.execute(db);
}
