import {
  auditChainSchema,
  auditEntrySchema,
  auditListQuerySchema,
  auditListSchema,
  auditVerdictSchema,
  type ListedAuditEntry,
} from '@agp/core/contracts';
import { nameChanged } from '@agp/core/explain';
import { listAudit, readAuditChain, readAuditHead } from '@agp/db';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentAuditEntry, presentAuditLink } from '../presenters.ts';
import { addAgentNames } from '../reads/reads.ts';
import { verifyAudit } from '../reads/verify.ts';
import { csvOf, replyWithList, sendRows, writeNextLink } from '../replies.ts';
import { readAgentFilter } from '../requests.ts';

/** Who it was and what it was about in words, for a spreadsheet. */
function toCsvRow({ actor, target, ...entry }: ListedAuditEntry) {
  const name = nameChanged(entry);
  return {
    ...entry,
    actor: 'name' in actor ? `${actor.name} (${actor.kind})` : actor.kind,
    target: name === null || target === null || name === target ? target : `${name} (${target})`,
  };
}

export const auditRoutes = tagRoutes('Audit log', [
  defineRoute('GET /api/v1/audit', {
    summary: 'Who changed what, and requests that were refused, the highest number first',
    query: auditListQuerySchema,
    answer: {
      description: 'One page of entries',
      schema: auditListSchema,
      paged: true,
      csv: {
        name: 'audit',
        columns: (query) =>
          Object.keys(auditEntrySchema.shape).filter(
            (name) => name !== 'agent_name' || (query as { expand?: string }).expand !== undefined,
          ),
      },
    },
    handle: async ({ query, request }, { db }, response) => {
      const filter = {
        ...query,
        actions: query.action,
        agentId: readAgentFilter(query.agent_id),
        policyId: query.policy_id,
      };
      const { limit, offset } = query;
      // One more than the page has room for tells that there is a next one.
      const rows = await listAudit(db, filter, { limit: limit + 1, offset });
      if (rows.length > limit) response.set('Link', writeNextLink(request, query, ['offset', `${offset + limit}`]));
      const entries = rows.slice(0, limit).map(presentAuditEntry);
      const named = query.expand === undefined ? entries : await addAgentNames(db, entries);
      return csvOf(response) === undefined ? named : sendRows(response, named.map(toCsvRow));
    },
  }),
  defineRoute('GET /api/v1/audit/chain', {
    ofInstallation: true,
    summary: 'The whole chain of the audit log, with the exact text that each hash covers',
    answer: { description: 'The chain, in the order of recording', schema: auditChainSchema },
    handle: async (_input, { db }, response) => {
      const { length } = await readAuditHead(db);
      const framing = { before: '{"entries":[', after: ']}' };
      await replyWithList(response, readAuditChain(db, length), presentAuditLink, framing);
    },
  }),
  defineRoute('GET /api/v1/audit/verify', {
    ofInstallation: true,
    summary: 'Whether the audit log is as it was written, by computing every hash anew',
    answer: { description: 'What was found', schema: auditVerdictSchema },
    handle: (_input, { db }) => verifyAudit(db),
  }),
]);
