/** Names are part of the API and never change. */
export const auditActions = [
  'agent.update',
  'agent.retire',
  'agent_token.create',
  'agent_token.delete',
  'name.release',
  'key.create',
  'key.rotate',
  'key.delete',
  'key.bootstrap',
  'budget.global.set',
  'budget.default.set',
  'budget.agent.set',
  'limit.default.set',
  'limit.agent.set',
  'pause.set',
  'console.link',
  'console.sign_in',
  'console.sign_out',
  'console.replace',
  'console.refused',
  'console.revoke',
  'request.refused',
  'events.retention',
] as const;

export type AuditAction = (typeof auditActions)[number];
