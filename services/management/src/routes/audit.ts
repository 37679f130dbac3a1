import { auditChainSchema, auditListQuerySchema, auditListSchema, auditVerdictSchema } from '@agp/core/contracts';
import { listAudit, readAuditChain, readAuditHead } from '@agp/db';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentAuditEntry, presentAuditLink } from '../presenters.ts';
import { addAgentNames } from '../reads/reads.ts';
import { verifyAudit } from '../reads/verify.ts';
import { replyWithList } from '../replies.ts';
import { readAgentFilter } from '../requests.ts';

export const auditRoutes = tagRoutes('Audit log', [
  defineRoute('GET /api/v1/audit', {
    summary: 'Who changed what, and requests that were refused, the highest number first',
    query: auditListQuerySchema,
    answer: { description: 'One page of entries', schema: auditListSchema, csv: { name: 'audit' } },
    handle: async ({ query }, { db }) => {
      const filter = {
        ...query,
        actions: query.action,
        agentId: readAgentFilter(query.agent_id),
        policyId: query.policy_id,
      };
      const entries = (await listAudit(db, filter, query)).map(presentAuditEntry);
      return query.expand === undefined ? entries : await addAgentNames(db, entries);
    },
  }),
  defineRoute('GET /api/v1/audit/chain', {
    summary: 'The whole chain of the audit log, with the exact text that each hash covers',
    answer: { description: 'The chain, in the order of recording', schema: auditChainSchema },
    handle: async (_input, { db }, response) => {
      const { length } = await readAuditHead(db);
      const framing = { before: '{"entries":[', after: ']}' };
      await replyWithList(response, readAuditChain(db, length), presentAuditLink, framing);
    },
  }),
  defineRoute('GET /api/v1/audit/verify', {
    summary: 'Whether the audit log is as it was written, by computing every hash anew',
    answer: { description: 'What was found', schema: auditVerdictSchema },
    handle: (_input, { db }) => verifyAudit(db),
  }),
]);
