import { isDeepStrictEqual } from 'node:util';
import type { AuditAction, AuditState } from '@agp/core/audit';
import { changeQuerySchema, metadataInputSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import { maxLabels, readLabels } from '@agp/core/labels';
import {
  type AgentChange,
  type AgentRow,
  appendAudit,
  type Db,
  listDocuments,
  listGoverningLabels,
  updateAgent,
} from '@agp/db';
import type { Policy } from '@agp/policy';
import { type Logger, toPlainAddress } from '@agp/runtime';
import type { Request, RequestHandler, Response } from 'express';
import { type Caller, describeCaller } from './keys.ts';
import { found } from './requests.ts';

export interface Change<Result> {
  result: Result;
  agentId?: string;
  /** As stored, never with a secret or a digest of one; absent if there was nothing before, or nothing is left after. */
  target?: string;
  before?: AuditState;
  after?: AuditState;
  /** What `If-Match` may ask for, and what it is since. */
  versions?: { before: string; after?: string };
}

/** @returns what is answered, with an `ETag` by which a change may be made of just this state */
export function tellVersion<Result>(
  response: Response | undefined,
  version: string | undefined,
  result: Result,
): Result {
  if (version !== undefined) response?.set('ETag', `"${version}"`);
  return result;
}

/** Keeps people from undoing what others did since they looked. @throws ApiError `changed_meanwhile` with the present state */
function assureVersion(seen: string | undefined, { versions, before }: Change<unknown>): void {
  if (seen === undefined || versions === undefined || seen === '*') return;
  const tag = `"${versions.before}"`;
  // Proxies that compress an answer make its tag weak.
  if (seen.split(/\s*,\s*/).some((each) => each.replace(/^W\//, '') === tag)) return;
  throw new ApiError('changed_meanwhile', { current: before ?? null, headers: { ETag: tag } });
}

/**
 * Makes a change and its entry in the audit log in one transaction, or neither. Every route that changes something goes through here, and
 * locks its rows before the end of the log's chain.
 */
export async function recordChange<Result>(
  { db }: { db: Db },
  { request, caller }: { request: Request; caller: Caller | undefined },
  action: AuditAction,
  change: (transaction: Db) => Promise<Change<Result>>,
): Promise<Result> {
  const { actor } = found(caller, 'internal');
  // The route has validated the whole query; it may have parameters of its own.
  const { reason } = changeQuerySchema.parse(request.query);
  const { result, versions } = await db.transaction().execute(async (transaction) => {
    const changed = await change(transaction);
    const { agentId = null, target = null, before = null, after = null } = changed;
    assureVersion(request.headers['if-match'], changed);
    await appendAudit(transaction, [
      {
        actor,
        source_ip: toPlainAddress(request.ip),
        action,
        agent_id: agentId,
        target,
        before,
        after,
        count: 1,
        ...(reason !== undefined && { reason }),
      },
    ]);
    return changed;
  });
  return tellVersion(request.res, versions?.after, result);
}

export function changeAgent(
  context: { db: Db },
  input: { params: { id: string }; request: Request; caller: Caller | undefined },
  action: AuditAction,
  change: AgentChange,
): Promise<AgentRow> {
  return recordChange(context, input, action, async (transaction) => {
    const updated = found(await updateAgent(transaction, input.params.id, change), 'agent_not_found');
    const { agent, before, after, stoppedBefore } = updated;
    const target = toPublicId('agt', input.params.id);
    const caller = found(input.caller, 'internal');
    // A team may block what the installation retired, and nothing else.
    const mayStop = stoppedBefore === null || (stoppedBefore === 'retired' && change.status !== 'active');
    if (caller.match && change.status !== undefined && !mayStop)
      throw new ApiError('installation_only', `${stoppedBefore} by the installation, which alone lets it go on`);
    await assureLabels(transaction, caller, before.metadata, after.metadata);
    // What was stored past this API keeps no agent from being blocked.
    if (change.labels !== undefined && !metadataInputSchema.safeParse(agent.metadata).success)
      throw new ApiError('invalid_parameter', 'labels: the metadata would exceed 16 KiB');
    const versions = { before: updated.updatedAt.toISOString(), after: agent.updated_at.toISOString() };
    return { result: agent, agentId: target, target, before, after, versions };
  });
}

type Metadata = Readonly<Record<string, unknown>>;

/**
 * By what others choose agents a team cannot change: it would lift or use up what is theirs.
 * @throws ApiError `invalid_parameter`, `installation_only`
 */
async function assureOwnLabels(db: Db, before: Metadata, after: Metadata): Promise<void> {
  // Beyond so many, which labels are charged depends on the others.
  if (readLabels(after).length > maxLabels)
    throw new ApiError('invalid_parameter', `labels: must be at most ${maxLabels}`);
  const governing = await listGoverningLabels(db);
  const changed = governing.find((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed !== undefined)
    throw new ApiError(
      'installation_only',
      `label ${changed} is one by which others choose agents: the installation changes it`,
    );
}

/** A policy may choose agents by a label: changing that label may lift it, so it takes `admin` too. */
async function assureLabels(db: Db, caller: Caller, before: Metadata, after: Metadata): Promise<void> {
  if (isDeepStrictEqual(before, after)) return;
  if (caller.match) await assureOwnLabels(db, before, after);
  if (caller.scopes.has('admin')) return;
  for (const { name: policy, policy: stored } of await listDocuments(db, 'policy')) {
    const { match = {}, exceptions = [] } = stored as Partial<Policy>;
    const selectors = [match, match.not ?? {}, ...exceptions.map((each) => each.match)];
    const names = selectors.flatMap(({ labels, tags }) => [
      ...Object.keys(labels ?? {}),
      ...(tags ? ['compliance_tag'] : []),
    ]);
    const changed = names.find((name) => !isDeepStrictEqual(before[name], after[name]));
    if (changed !== undefined)
      throw new ApiError(
        'missing_scope',
        `API key lacks scope admin: policy ${policy} is for agents by their label ${changed}`,
      );
  }
}

export function logChanges(logger: Logger): RequestHandler {
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.on('finish', () => {
        const { route, caller, requestId } = response.locals as { route?: string; caller?: Caller; requestId?: string };
        const status = response.statusCode;
        if (status >= 400 || caller === undefined) return;
        logger.info({ requestId, method: request.method, route, status, ...describeCaller(caller) }, 'change was made');
      });
    }
    next();
  };
}
