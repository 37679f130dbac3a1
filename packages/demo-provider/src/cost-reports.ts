import type { Charge, Endpoint } from './endpoint.ts';
import { ProviderFault } from './request.ts';

const dayMs = 86_400_000;

interface Report {
  /** The header with an administrator's key, and how that begins. */
  key: readonly [header: string, beginning: string];
  /** The range's ends in the query, and a bucket's. */
  names: readonly [from: string, to: string];
  parse(time: string | null): number;
  write(ms: number): number | string;
  writeCharge(charge: Charge): object;
}

/** Pages of daily buckets, from the day that the cursor names on, grouped by all that is known of a charge. */
const answerCosts =
  ({ key: [header, beginning], names: [start, end], parse, write, writeCharge }: Report): Endpoint =>
  ({ headers, query, charges }) => {
    const key = String(headers[header]);
    if (!key.startsWith(beginning)) throw new ProviderFault(401, `Incorrect API key provided: ${key}.`);
    const [from, to, limit] = [parse(query.get(start)), parse(query.get(end)), Number(query.get('limit') ?? 7)];
    if (!(from < to && limit >= 1 && limit <= 31)) throw new ProviderFault('invalid_request', 'The range is wrong.');
    const first = Number(query.get('page')?.replace('page_', '') ?? from);
    const last = Math.min(to, first + limit * dayMs);
    const data = Array.from({ length: (last - first) / dayMs }, (_, at) => {
      const day = first + at * dayMs;
      const billed = charges.filter((charge) => Date.parse(charge.day) === day);
      return { [start]: write(day), [end]: write(day + dayMs), results: billed.map(writeCharge) };
    });
    return { json: { data, has_more: last < to, next_page: last < to ? `page_${last}` : null } };
  };

/** OpenAI's `GET /v1/organization/costs`. */
export const reportOpenaiCosts = answerCosts({
  key: ['authorization', 'Bearer sk-admin-'],
  names: ['start_time', 'end_time'],
  parse: (seconds) => Number(seconds) * 1_000,
  write: (ms) => ms / 1_000,
  writeCharge: ({ item, nanoUsd, account }) => ({
    object: 'organization.costs.result',
    amount: { value: (nanoUsd / 1e9).toFixed(30), currency: 'usd' },
    line_item: item,
    project_id: account,
    api_key_id: null,
  }),
});

/** Anthropic's `GET /v1/organizations/cost_report`, in decimal cents. */
export const reportAnthropicCosts = answerCosts({
  key: ['x-api-key', 'sk-ant-admin'],
  names: ['starting_at', 'ending_at'],
  parse: (time) => Date.parse(time ?? ''),
  write: (ms) => new Date(ms).toISOString(),
  writeCharge: ({ item, nanoUsd, account }) => ({
    currency: 'USD',
    amount: String(nanoUsd / 1e7),
    workspace_id: account,
    description: `${item} Usage - Input Tokens`,
    cost_type: 'tokens',
    model: item,
  }),
});
