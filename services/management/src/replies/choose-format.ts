import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Route } from '../define-route.ts';

/** An answer as CSV: the file's name without its ending, and the members of each row that are its columns. */
export interface CsvTable {
  name: string;
  columns: readonly string[];
}

/** The members that every row has. */
function listColumns(schema: z.ZodType | undefined): string[] {
  const row = schema instanceof z.ZodArray ? schema.element : schema;
  if (!(row instanceof z.ZodObject)) return [];
  return Object.entries(row.shape).flatMap(([name, member]) => (member instanceof z.ZodOptional ? [] : name));
}

/** Notes for the reply whether the caller asks for CSV: where `Accept` has it and JSON in one rank, or neither, JSON is sent. */
export function chooseFormat({ answer }: Route, request: Request, response: Response, query: unknown): void {
  if (answer.csv === undefined) return;
  response.vary('Accept');
  if (request.accepts(['application/json', 'text/csv']) !== 'text/csv') return;
  const { name, columns } = answer.csv;
  response.locals.csv = { name, columns: columns?.(query) ?? listColumns(answer.schema) } satisfies CsvTable;
}

/** The table to send in place of JSON, where the caller asks for one. */
export function csvOf(response: Response): CsvTable | undefined {
  return response.locals.csv as CsvTable | undefined;
}
