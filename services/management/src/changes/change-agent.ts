import type { AuditAction } from '@agp/core/audit';
import { toPublicId } from '@agp/core/ids';
import { type AgentChange, type AgentRow, type Db, updateAgent } from '@agp/db';
import type { Request } from 'express';
import type { Caller } from '../keys/caller.ts';
import { found } from '../requests/found.ts';
import { recordChange } from './record-change.ts';

/**
 * Changes an agent's status or metadata, with its entry in the audit log.
 *
 * @throws ApiError `agent_not_found`
 */
export function changeAgent(
  context: { db: Db },
  input: { params: { id: string }; request: Request; caller: Caller | undefined },
  action: AuditAction,
  change: AgentChange,
): Promise<AgentRow> {
  return recordChange(context, input, action, async (transaction) => {
    const { before, after } = found(await updateAgent(transaction, input.params.id, change), 'agent_not_found');
    const target = toPublicId('agt', input.params.id);
    const { status, metadata } = after;
    return { result: after, agentId: target, target, before, after: { status, metadata } };
  });
}
