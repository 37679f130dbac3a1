import { auditListQuerySchema, auditListSchema } from '@agp/core/contracts';
import { fromPublicId } from '@agp/core/ids';
import { listAudit } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentAuditEntry } from '../../presenters/present-audit-entry.ts';

export const listAuditRoute = defineRoute({
  method: 'get',
  path: '/api/v1/audit',
  scope: 'read',
  tag: 'Audit log',
  summary: 'Who changed what, and requests that were refused, newest first',
  query: auditListQuerySchema,
  answer: { status: 200, description: 'One page of entries', schema: auditListSchema },
  errors: [],
  handle: async ({ query }, response, { db }) => {
    const agentId = query.agent_id === undefined ? undefined : fromPublicId('agt', query.agent_id);
    // What is no id is nobody's: no entries.
    const rows = agentId === null ? [] : await listAudit(db, { agentId, action: query.action }, query);
    response.json(rows.map(presentAuditEntry));
  },
});
