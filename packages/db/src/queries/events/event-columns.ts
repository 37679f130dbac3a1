import { type Event, eventSchema } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { RowOf } from '../../row-of.ts';

/** The columns of an event as it is shown. */
export const eventColumns = Object.keys(eventSchema.shape) as (keyof Event)[];

/** An event as it is shown; with its agent's name only where that was asked for. */
export type EventRow = RowOf<Event, 'timestamp'> & { agent_name?: string | undefined };

export interface EventExtras {
  withNames?: boolean;
}

/** The name of the agent that a column names by its id. */
export const nameOfAgent = (column: string) =>
  sql<string>`(SELECT name FROM agents WHERE agents.id = ${sql.ref(column)})`.as('agent_name');
