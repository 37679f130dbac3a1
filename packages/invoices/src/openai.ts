import { z } from 'zod';
import { amountField, type BillingApi, currencyField, nameField, nameModel } from './billing-api.ts';

const toSeconds = (day: string) => String(Date.parse(day) / 1_000);

/** OpenAI's "Costs" of "Usage" in its API reference. */
export const openai: BillingApi = {
  baseUrl: 'https://api.openai.com',
  path: '/v1/organization/costs',
  headersOf: (key) => ({ authorization: `Bearer ${key}` }),
  queryOf: ({ from, to }, withAccounts) => [
    ['start_time', toSeconds(from)],
    ['end_time', toSeconds(to)],
    ['group_by', 'line_item'],
    ...(withAccounts ? ['project_id', 'api_key_id'] : []).map((name): [string, string] => ['group_by', name]),
  ],
  dayOf: z
    .object({ start_time: z.int().min(0).max(4e9) })
    .transform(({ start_time: seconds }) => new Date(seconds * 1_000).toISOString().slice(0, 10)),
  // `gpt-4o-2024-08-06, cached input` is of a model; others, such as `web search tool calls`, stand for themselves.
  line: z
    .object({
      amount: z.object({ value: amountField, currency: currencyField }),
      line_item: nameField,
      project_id: nameField,
      api_key_id: nameField,
    })
    .transform(({ amount, line_item: item, project_id, api_key_id }) => ({
      model: nameModel((item ?? 'other').replace(/,[^,]*$/, '')),
      nanoUsd: Math.round(amount.value * 1e9),
      accounts: [project_id, api_key_id],
    })),
};
