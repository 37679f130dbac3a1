import { type Event, eventSchema, type ListedEvent, type outcomeNames } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { RowOf } from '../../row-of.ts';

/** The columns of an event as it is shown. */
export const eventColumns = Object.keys(eventSchema.shape) as (keyof Event)[];

/** An event as it is shown; with its agent's name, and how it ended, only where that was asked for. */
export type EventRow = RowOf<Event, 'timestamp'> & Pick<ListedEvent, 'agent_name' | (typeof outcomeNames)[number]>;

export interface EventExtras {
  withNames?: boolean;
  /** Adds how they ended. */
  withOutcomes?: boolean;
}

/** The name of the agent that a column names by its id. */
export const nameOfAgent = (column: string) =>
  sql<string>`(SELECT name FROM agents WHERE agents.id = ${sql.ref(column)})`.as('agent_name');
