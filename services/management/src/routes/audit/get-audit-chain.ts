import { auditChainSchema } from '@agp/core/contracts';
import { readAuditChain, readAuditHead } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentAuditLink } from '../../presenters/present-audit-entry.ts';
import { replyWithList } from '../../replies/reply-with-list.ts';

export const getAuditChainRoute = defineRoute({
  method: 'get',
  path: '/api/v1/audit/chain',
  scope: 'read',
  tag: 'Audit log',
  summary: 'The whole chain of the audit log, with the exact text that each hash covers',
  answer: { status: 200, description: 'The chain, in the order of recording', schema: auditChainSchema },
  errors: [],
  handle: async (_input, response, { db }) => {
    const { length } = await readAuditHead(db);
    await replyWithList(response, readAuditChain(db, length), presentAuditLink, {
      before: '{"entries":[',
      after: ']}',
    });
  },
});
