import type { AuditAction } from '@agp/core/audit';
import { ApiError } from '@agp/core/errors';
import { fromPublicId } from '@agp/core/ids';
import { type AgentChange, type AgentRow, type Db, updateAgent } from '@agp/db';
import type { Request } from 'express';
import type { Caller } from '../keys/authenticate.ts';
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
    const id = fromPublicId('agt', input.params.id);
    const changed = id === null ? undefined : await updateAgent(transaction, id, change);
    if (changed === undefined) throw new ApiError('agent_not_found');
    const { before, after } = changed;
    return {
      result: after,
      agentId: input.params.id,
      target: input.params.id,
      before: { status: before.status, metadata: before.metadata },
      after: { status: after.status, metadata: after.metadata },
    };
  });
}
