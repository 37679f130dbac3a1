import { countPolicyHits, countPolicyRefusals, countTeamHits, listTools, readDocument } from '@agp/db';
import {
  agentToolListSchema,
  maxPolicies,
  maxPoliciesOfTeam,
  type Policy,
  policyListSchema,
  policyRefusalsSchema,
  policySchema,
  previewRequestSchema,
  previewSchema,
  refusalDays,
  type StoredPolicy,
  storedPolicySchema,
  triedTextSchema,
  tryRequestSchema,
} from '@agp/policy';
import { z } from 'zod';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { documentRoutes } from '../document-routes.ts';
import { readYaml, writePolicy } from '../policy-text.ts';
import { presentRow } from '../presenters.ts';
import { presentPolicy, readPolicies } from '../reads/policies.ts';
import { preview } from '../reads/preview.ts';
import { assureStorable, tryPolicies } from '../reads/try-policies.ts';
import { found, policyId } from '../requests.ts';

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
  defineRoute('GET /api/v1/policies/{id}/refusals', {
    summary: 'What a policy refused, by day and by team',
    params: { id: policyId },
    answer: { description: 'The last 14 days', schema: policyRefusalsSchema },
    handle: async ({ params, caller }, { db }) => {
      const policy = found(await readDocument(db, 'policy', params.id), 'policy_not_found');
      // What others' did is counted for all agents together.
      const isSummed = !caller?.match || policy.team !== null;
      return countPolicyRefusals(db, policy, { now: Date.now(), days: refusalDays, isSummed });
    },
  }),
  ...documentRoutes<'policy', Policy, StoredPolicy>({
    ...{ kind: 'policy', action: 'policy', path: '/api/v1/policies', listPath: null },
    ...{ prefix: 'pol', id: policyId, unknown: 'policy_not_found', scope: 'admin' },
    ...{ schema: policySchema, shown: storedPolicySchema, readText: readYaml(policySchema, 'policy') },
    says: {
      ...{ noun: 'The policy', nouns: 'The policies', list: '', one: 'One policy' },
      make: 'Make a policy: it holds from the next request on',
      replace: 'Replace a policy: the new one holds from the next request on',
      remove: 'Remove a policy: it holds for no further request',
    },
    errors: {
      make: ['policy_name_taken', 'too_many_policies', 'too_many_reads'],
      replace: ['policy_name_taken', 'too_many_reads'],
    },
    ...{ most: maxPolicies, mostOfTeam: maxPoliciesOfTeam },
    describe: ({ version, policy }) => ({ version, policy }),
    present: (_context, rows) => rows.map(presentPolicy),
    write: (input, _context, stored) => writePolicy(input, stored),
    assure: (input, { db }, id) => assureStorable(input, db, id),
  }),
]);
