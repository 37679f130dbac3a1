import type { AuditAction, AuditState } from '@agp/core/audit';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import { appendAudit, type Db } from '@agp/db';
import { toPlainAddress } from '@agp/runtime';
import type { Request } from 'express';
import type { Caller } from '../keys/authenticate.ts';

/** What a change did, as the audit log tells it. Never with a secret, a token, or a digest of one. */
export interface Change<Result> {
  /** What the route goes on with. */
  result: Result;
  /** Public id of the agent that it is about; null if it is about none. */
  agentId: string | null;
  /** Public id or name of what was changed; null where the action says it all. */
  target: string | null;
  /** As stored; null where there was nothing before, or nothing is left after. */
  before: AuditState | null;
  after: AuditState | null;
}

/**
 * Makes a change and its entry in the audit log in one transaction: both are stored, or neither. Every route that
 * changes something goes through here, and locks what it changes before the end of the log's chain.
 *
 * @param change works in the transaction that it is given; where it throws, nothing is stored
 */
export async function recordChange<Result>(
  { db }: { db: Db },
  { request, caller }: { request: Request; caller: Caller | undefined },
  action: AuditAction,
  change: (transaction: Db) => Promise<Change<Result>>,
): Promise<Result> {
  if (caller === undefined) throw new ApiError('internal');
  return db.transaction().execute(async (transaction) => {
    const { result, agentId, target, before, after } = await change(transaction);
    await appendAudit(transaction, [
      {
        actor: { kind: 'api_key', id: toPublicId('key', caller.keyId), name: caller.keyName },
        source_ip: toPlainAddress(request.ip),
        action,
        agent_id: agentId,
        target,
        before,
        after,
        count: 1,
      },
    ]);
    return result;
  });
}
