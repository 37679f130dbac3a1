import { z } from 'zod';
import { amountField, type BillingApi, currencyField, nameField, nameModel } from './billing-api.ts';

/** Anthropic's "Get Cost Report" of its Admin API: decimal cents, without the costs of Priority Tier. */
export const anthropic: BillingApi = {
  baseUrl: 'https://api.anthropic.com',
  path: '/v1/organizations/cost_report',
  headersOf: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  queryOf: ({ from, to }, withAccounts) => [
    ['starting_at', `${from}T00:00:00Z`],
    ['ending_at', `${to}T00:00:00Z`],
    ['group_by[]', 'description'],
    ...(withAccounts ? [['group_by[]', 'workspace_id'] satisfies [string, string]] : []),
  ],
  dayOf: z
    .object({ starting_at: z.iso.datetime({ offset: true }) })
    .transform(({ starting_at: time }) => new Date(time).toISOString().slice(0, 10)),
  line: z
    .object({
      amount: amountField,
      currency: currencyField,
      model: nameField,
      description: nameField,
      workspace_id: nameField,
    })
    .transform(({ amount, model, description, workspace_id }) => ({
      model: nameModel(model ?? description ?? 'other'),
      nanoUsd: Math.round(amount * 1e7),
      accounts: [workspace_id],
    })),
};
