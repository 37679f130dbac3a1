import type { BilledProvider } from '@agp/core/contracts';
import { parseJson } from '@agp/core/json';
import { z } from 'zod';
import { anthropic } from './anthropic.ts';
import type { BillingApi, BillLine, Days } from './billing-api.ts';
import { openai } from './openai.ts';

/** By the names of providers. */
export const billingApis: Readonly<Record<BilledProvider, BillingApi>> = { openai, anthropic };

/** A bill could not be read. Its message is a line that holds no key. */
export class BillError extends Error {
  readonly code = 'bill_unreadable';
}

/** Both vendors give so many at once. */
const daysOfPage = 31;
const maxPages = 100;
/** Bytes; with a line for each account a page may be long. */
const maxPageBytes = { withAccounts: 16 * 1024 * 1024, summed: 2 * 1024 * 1024 };
/** A page, from the request to its end. */
const pageMs = 60_000;

interface Asked {
  baseUrl: string;
  key: string;
  /** The setting with the key, which a message may name. */
  keyVariable: string;
  days: Days;
  /** A line for each project, key or workspace, in place of one for all. */
  withAccounts: boolean;
  /** Asks by the caller's way out. */
  fetch?: typeof globalThis.fetch;
}

async function readBytes({ body }: Response, max: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > max) throw new BillError(`A page of the bill is larger than ${max} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What a refusal says is not shown: some quote the key. */
async function readPage(api: BillingApi, address: string, asked: Asked): Promise<unknown> {
  const { key, keyVariable, withAccounts, fetch = globalThis.fetch } = asked;
  const signal = AbortSignal.timeout(pageMs);
  const where = address.split('?', 1)[0];
  try {
    const response = await fetch(address, { headers: api.headersOf(key), redirect: 'manual', signal });
    if (response.status === 200)
      return parseJson(await readBytes(response, maxPageBytes[withAccounts ? 'withAccounts' : 'summed']));
    const hint = response.status === 401 || response.status === 403 ? `: is ${keyVariable} an admin key?` : '';
    throw new BillError(`${where} answered ${response.status}${hint}`);
  } catch (error) {
    if (error instanceof BillError) throw error;
    throw new BillError(`${where} ${signal.aborted ? `took longer than ${pageMs / 1_000} seconds` : 'gave no answer'}`);
  }
}

/**
 * All that a provider billed on some days, page by page.
 * @throws BillError if it refuses, is late, or answers what is no report of costs within the bounds
 */
export async function readBill(api: BillingApi, asked: Asked): Promise<(BillLine & { day: string })[]> {
  const { baseUrl, days, withAccounts } = asked;
  const entry = z.intersection(
    api.dayOf.transform((day) => ({ day })),
    z.object({ results: z.array(api.line) }),
  );
  const schema = z.object({ data: z.array(entry), has_more: z.boolean(), next_page: z.string().max(4_096).nullish() });
  const query = new URLSearchParams([
    ...api.queryOf(days, withAccounts),
    ['bucket_width', '1d'],
    ['limit', String(daysOfPage)],
  ]);
  const lines: (BillLine & { day: string })[] = [];
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = schema.safeParse(await readPage(api, `${baseUrl}${api.path}?${query}`, asked));
    const { has_more: hasMore, next_page: cursor, data } = page.data ?? { has_more: true, data: [] };
    for (const { day, results } of data) for (const line of results) lines.push({ day, ...line });
    if (!hasMore) return lines;
    if (!cursor) throw new BillError(`${baseUrl}${api.path} answered no report of costs in USD`);
    query.set('page', cursor);
  }
  throw new BillError(`The bill has more than ${maxPages} pages: ask for fewer days.`);
}
