import { type Event, eventSchema } from '@agp/core/contracts';
import type { RowOf } from '../../row-of.ts';

/** The columns of an event as it is shown. */
export const eventColumns = Object.keys(eventSchema.shape) as (keyof Event)[];

export type EventRow = RowOf<Event, 'timestamp'>;
