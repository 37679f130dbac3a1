import { parseJson } from '@agp/core/json';
import { z } from 'zod';
import type { Days } from '../arguments.ts';
import { CliError } from '../cli-error.ts';
import { anthropic } from './anthropic.ts';
import type { BillingApi, BillLine } from './billing-api.ts';
import { openai } from './openai.ts';

export const billingApis = { openai, anthropic } satisfies Record<string, BillingApi>;

/** Both vendors give so many at once. */
const daysOfPage = 31;
const maxPages = 100;
const maxPageBytes = 16 * 1024 * 1024;
/** A page, from the request to its end. */
const pageMs = 60_000;

async function readBytes({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxPageBytes) throw new CliError(`A page of the bill is larger than ${maxPageBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What a refusal says is not shown: some quote the key. */
async function readPage(api: BillingApi, address: string, key: string): Promise<unknown> {
  const signal = AbortSignal.timeout(pageMs);
  const where = address.split('?', 1)[0];
  try {
    const response = await fetch(address, { headers: api.headersOf(key), redirect: 'manual', signal });
    if (response.status === 200) return parseJson(await readBytes(response));
    const hint = response.status === 401 || response.status === 403 ? `: is ${api.keyVariable} an admin key?` : '';
    throw new CliError(`${where} answered ${response.status}${hint}`);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${where} ${signal.aborted ? `took longer than ${pageMs / 1_000} seconds` : 'gave no answer'}`);
  }
}

/**
 * All that a provider billed on some days, page by page.
 * @throws CliError if it refuses, is late, or answers what is no report of costs within the bounds
 */
export async function readBill(
  api: BillingApi,
  { baseUrl, key, days }: { baseUrl: string; key: string; days: Days },
): Promise<(BillLine & { day: string })[]> {
  const entry = z.intersection(
    api.dayOf.transform((day) => ({ day })),
    z.object({ results: z.array(api.line) }),
  );
  const schema = z.object({ data: z.array(entry), has_more: z.boolean(), next_page: z.string().max(4_096).nullish() });
  const query = new URLSearchParams([...api.queryOf(days), ['bucket_width', '1d'], ['limit', String(daysOfPage)]]);
  const lines: (BillLine & { day: string })[] = [];
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = schema.safeParse(await readPage(api, `${baseUrl}${api.path}?${query}`, key));
    const { has_more: hasMore, next_page: cursor, data } = page.data ?? { has_more: true, data: [] };
    for (const { day, results } of data) for (const line of results) lines.push({ day, ...line });
    if (!hasMore) return lines;
    if (!cursor) throw new CliError(`${baseUrl}${api.path} answered no report of costs in USD`);
    query.set('page', cursor);
  }
  throw new CliError(`The bill has more than ${maxPages} pages: ask for fewer days.`);
}
