import { z } from 'zod';

/** UTC days such as `2026-11-09`, without the last. */
export interface Days {
  from: string;
  to: string;
}

/** What a provider billed for one thing. */
export interface BillLine {
  /** The model without the day of its version, or what else was billed. */
  model: string;
  /** Negative for credits. */
  nanoUsd: number;
  /** Ids of project, API key or workspace. */
  accounts: (string | null | undefined)[];
}

/** How a vendor tells what it billed: pages of days, `{ data: [{ results }], has_more, next_page }`. */
export interface BillingApi {
  /** As the vendor documents it. */
  baseUrl: string;
  path: string;
  headersOf(key: string): Record<string, string>;
  /** @param withAccounts a line for each project, key or workspace, in place of one for all */
  queryOf(days: Days, withAccounts: boolean): [string, string][];
  /** When a day's entry of `data` begins, as a UTC day. */
  dayOf: z.ZodType<string>;
  line: z.ZodType<BillLine>;
}

/** As both vendors write numbers, some with dozens of places. */
export const amountField = z
  .union([z.number(), z.string().regex(/^-?\d{1,12}(\.\d{1,60})?(e-?\d{1,2})?$/i)])
  .transform(Number)
  .refine((amount) => Math.abs(amount) < 1e12);

/** Dollars alone are compared. */
export const currencyField = z.string().regex(/^usd$/i);

export const nameField = z.string().max(512).nullish();

/** A model's name as both sides know it: versions are told apart by their day, which requests often leave out. */
export const nameModel = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/-(20\d\d-?[01]\d-?[0-3]\d|latest)$/, '');
