import { auditVerdictSchema } from '@agp/core/contracts';
import { defineRoute } from '../../define-route.ts';
import { verifyAudit } from '../../reads/verify-audit.ts';

export const verifyAuditRoute = defineRoute({
  method: 'get',
  path: '/api/v1/audit/verify',
  scope: 'read',
  tag: 'Audit log',
  summary: 'Whether the audit log is as it was written, by computing every hash anew',
  answer: { status: 200, description: 'What was found', schema: auditVerdictSchema },
  errors: [],
  handle: async (_input, response, { db }) => {
    response.json(await verifyAudit(db));
  },
});
