import { outcomeNames } from '@agp/core/contracts';
import type { z } from 'zod';

/** A list of events as CSV: with the columns that `expand` asks for, or without. @param row the schema of an entry */
export function makeEventsCsv(row: z.ZodObject) {
  const wantedBy: Record<string, string> = {
    agent_name: 'agent',
    ...Object.fromEntries(outcomeNames.map((name) => [name, 'outcome'])),
  };
  return {
    name: 'events',
    columns(query: unknown): string[] {
      const expand = (query as { expand?: string }).expand?.split(',') ?? [];
      return Object.keys(row.shape).filter((name) => wantedBy[name] === undefined || expand.includes(wantedBy[name]));
    },
  };
}
