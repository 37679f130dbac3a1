import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ApiError } from '@agp/core/errors';
import { type Db, listDocuments } from '@agp/db';
import { maxSteps } from '@agp/pii/own-pattern';
import { havePatterns, type Policy, type TriedText, type TryRequest } from '@agp/policy';
import type { Request } from 'express';
import type { Caller } from '../keys.ts';
import { maxTries, maxTryMs, maxTryStartMs, shareOfReads } from '../limits.ts';
import { refuseMember } from '../policy-text.ts';
import { found } from '../requests.ts';
import type { Tried, Tries } from './try-worker.ts';

/** Whose patterns are tried now. */
const trying: string[] = [];

type Path = readonly (string | number)[];

/**
 * Searches in a thread of its own, which patterns that are meant to be slow hold up alone.
 * @throws ApiError `too_many_reads` if the holder has two under way, or all together too many, `invalid_parameter` for patterns that cannot
 * be used, and if it takes too long
 */
export async function tryPolicies(request: TryRequest, holder: string, maxMs = maxTryMs): Promise<TriedText> {
  const answer = await run(request, holder, maxMs);
  if (answer.fault !== null) throw refuseBody(['policies', answer.policy, ...answer.fault.path], answer.fault.message);
  return answer.tried as TriedText;
}

/** Tries the patterns of policies that are not stored. @throws as `tryPolicies` */
export async function assurePatterns(policies: readonly Policy[], holder: string): Promise<void> {
  if (!havePatterns(policies)) return;
  const { fault, policy } = { policy: 0, ...(await run({ policies }, holder, maxTryMs)) };
  if (fault !== null) throw refuseBody(['policies', policy, ...fault.path], fault.message);
}

/**
 * Tries the patterns of a policy that is to be stored, beside those of other policies of its team, or of the installation.
 * @param id of the policy that it replaces
 * @throws as `tryPolicies`
 */
export async function assureStorable(
  { body, request, caller }: { body: Policy; request: Request; caller: Caller | undefined },
  db: Db,
  id?: string,
): Promise<void> {
  if (!havePatterns([body])) return;
  const { match, holder } = found(caller, 'internal');
  const stored = await listDocuments(db, 'policy');
  const team = stored.find((row) => row.id === id)?.team ?? match;
  const others = stored.filter((row) => row.id !== id && isDeepStrictEqual(row.team, team));
  const beside = others.map(({ policy }) => policy as unknown as Policy);
  const most = team === null ? maxSteps.installation : maxSteps.team;
  const { fault } = await run({ policies: [body], beside, most }, holder, maxTryMs);
  if (fault !== null) throw refuseMember(request, fault.path, fault.message);
}

/** Says which member of a body cannot be used. */
const refuseBody = (path: Path, message: string): ApiError =>
  new ApiError('invalid_parameter', `${path.join('.')}: ${message}`);

async function run(tries: Tries, holder: string, maxMs: number): Promise<Tried> {
  const own = trying.filter((each) => each === holder).length;
  if (own >= shareOfReads.connections || trying.length >= maxTries) throw new ApiError('too_many_reads');
  trying.push(holder);
  const limit = { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 128 } };
  const worker = new Worker(new URL('./try-worker.ts', import.meta.url), limit);
  try {
    await once(worker, 'message', { signal: AbortSignal.timeout(maxTryStartMs) });
    worker.postMessage(tries);
    const [answer] = await once(worker, 'message', { signal: AbortSignal.timeout(maxMs) });
    return answer;
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    throw new ApiError('invalid_parameter', `policies: their patterns need more than ${maxMs} ms`);
  } finally {
    trying.splice(trying.indexOf(holder), 1);
    await worker.terminate();
  }
}
