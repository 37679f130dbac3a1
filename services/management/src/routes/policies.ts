import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import {
  countPolicyHits,
  countPolicyRefusals,
  countTeamHits,
  createPolicy,
  deletePolicy,
  listTools,
  type PolicyRow,
  readPolicy,
  replacePolicy,
} from '@agp/db';
import {
  agentToolListSchema,
  maxPolicies,
  maxPoliciesOfTeam,
  policyListSchema,
  policyRefusalsSchema,
  policySchema,
  previewRequestSchema,
  previewSchema,
  refusalDays,
  storedPolicySchema,
  triedTextSchema,
  tryRequestSchema,
} from '@agp/policy';
import { z } from 'zod';
import { recordChange, tellVersion } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { readYaml, writePolicy } from '../policy-text.ts';
import { presentRow } from '../presenters.ts';
import { presentPolicy, readPolicies } from '../reads/policies.ts';
import { preview } from '../reads/preview.ts';
import { assureStorable, tryPolicies } from '../reads/try-policies.ts';
import { found, policyId } from '../requests.ts';
import { assureOwn, assureRoom, toQuota } from '../teams.ts';

const describe = ({ version, policy }: PolicyRow) => ({ version, policy });

const readPolicyText = readYaml(policySchema, 'policy');

const [dayMs, hourMs] = [86_400_000, 3_600_000];

const listQuerySchema = z.object({
  expand: z
    .enum(['hits'])
    .optional()
    .meta({ description: '`hits` adds what each refused and noted in the last 24 hours' }),
});

export const policyRoutes = tagRoutes('Policies', [
  defineRoute('GET /api/v1/policies', {
    summary: 'All policies, by name',
    query: listQuerySchema,
    answer: { description: 'The policies', schema: policyListSchema },
    handle: async ({ query, caller }, { db }) => {
      const policies = await readPolicies(db);
      if (query.expand === undefined) return policies;
      const since = new Date(Math.floor((Date.now() - dayMs) / hourMs) * hourMs);
      const hits = await countPolicyHits(db, since);
      // What others' did is counted for all agents together, and a team is told what they did to its own.
      const ofTeam = caller?.match ? await countTeamHits(db, since) : null;
      const none = { refused: 0, noted: 0, by: [] };
      return policies.map((each) => {
        const known = ofTeam !== null && each.team === null ? ofTeam : hits;
        return { ...each, hits: { since: since.toISOString(), ...(known.get(each.policy.name) ?? none) } };
      });
    },
  }),
  defineRoute('POST /api/v1/policies', {
    scope: 'admin',
    summary: 'Make a policy: it holds from the next request on',
    body: policySchema,
    readText: readPolicyText,
    answer: { status: 201, description: 'The policy', schema: storedPolicySchema },
    errors: ['policy_name_taken', 'too_many_policies', 'too_many_reads'],
    handle: async (input, context) => {
      await assureStorable(input, context.db);
      return recordChange(context, input, 'policy.create', async (transaction) => {
        const quota = toQuota(input.caller, maxPolicies, maxPoliciesOfTeam);
        const row = assureRoom(await createPolicy(transaction, writePolicy(input), quota), quota);
        return { result: presentPolicy(row), target: toPublicId('pol', row.id), after: describe(row) };
      });
    },
  }),
  defineRoute('POST /api/v1/policies/preview', {
    isRead: true,
    summary: 'What policies would have done to the requests that were recorded; changes nothing',
    body: previewRequestSchema,
    answer: { description: 'Counts, examples, and what records do not tell', schema: previewSchema },
    handle: ({ body, caller }, { db, readPrices: { providers } }, response) =>
      preview(db, body, { holder: found(caller, 'internal').holder, isLeft: () => response.closed, providers }),
  }),
  defineRoute('POST /api/v1/policies/try', {
    isRead: true,
    summary: 'What policies find in a text, and what would be passed on; the text is neither stored nor logged',
    body: tryRequestSchema,
    answer: { description: 'What is found, and the text as it would be passed on', schema: triedTextSchema },
    errors: ['too_many_reads'],
    handle: ({ body, caller }) => tryPolicies(body, found(caller, 'internal').holder),
  }),
  defineRoute('GET /api/v1/policies/tools', {
    summary: 'Tools that agents declared and called, which rules may name, those called most first',
    answer: {
      description: 'Tools of the latest 5,000 events of the last 30 days, 500 at most',
      schema: agentToolListSchema,
    },
    handle: async (_input, { db }) =>
      (await listTools(db, null, new Date(Date.now() - 30 * dayMs))).map((tool) => presentRow(tool)),
  }),
  defineRoute('GET /api/v1/policies/{id}', {
    summary: 'One policy',
    isVersioned: true,
    params: { id: policyId },
    answer: { description: 'The policy', schema: storedPolicySchema },
    handle: async ({ params }, { db }, response) => {
      const policy = presentPolicy(found(await readPolicy(db, params.id), 'policy_not_found'));
      return tellVersion(response, `${policy.version}`, policy);
    },
  }),
  defineRoute('GET /api/v1/policies/{id}/refusals', {
    summary: 'What a policy refused, by day and by team',
    params: { id: policyId },
    answer: { description: 'The last 14 days', schema: policyRefusalsSchema },
    handle: async ({ params, caller }, { db }) => {
      const policy = found(await readPolicy(db, params.id), 'policy_not_found');
      // What others' did is counted for all agents together.
      const isSummed = !caller?.match || policy.team !== null;
      return countPolicyRefusals(db, policy, { now: Date.now(), days: refusalDays, isSummed });
    },
  }),
  defineRoute('PUT /api/v1/policies/{id}', {
    scope: 'admin',
    summary: 'Replace a policy: the new one holds from the next request on',
    isVersioned: true,
    params: { id: policyId },
    body: policySchema,
    readText: readPolicyText,
    answer: { description: 'The policy as it is now', schema: storedPolicySchema },
    errors: ['policy_name_taken', 'too_many_reads'],
    handle: async (input, context) => {
      await assureStorable(input, context.db, input.params.id);
      return recordChange(context, input, 'policy.update', async (transaction) => {
        const write = (stored: PolicyRow) => writePolicy(input, assureOwn(stored, input.caller?.match));
        const replaced = found(await replacePolicy(transaction, input.params.id, write), 'policy_not_found');
        if (typeof replaced === 'string') throw new ApiError(replaced);
        const { before, after } = replaced;
        const target = toPublicId('pol', after.id);
        const versions = { before: `${before.version}`, after: `${after.version}` };
        return { result: presentPolicy(after), target, before: describe(before), after: describe(after), versions };
      });
    },
  }),
  defineRoute('DELETE /api/v1/policies/{id}', {
    scope: 'admin',
    summary: 'Remove a policy: it holds for no further request',
    isVersioned: true,
    params: { id: policyId },
    answer: { status: 204, description: 'The policy is gone' },
    handle: (input, context) =>
      recordChange(context, input, 'policy.delete', async (transaction) => {
        const row = found(await deletePolicy(transaction, input.params.id), 'policy_not_found');
        assureOwn(row, input.caller?.match);
        const versions = { before: `${row.version}` };
        return { result: undefined, target: toPublicId('pol', row.id), before: describe(row), versions };
      }),
  }),
]);
