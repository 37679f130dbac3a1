import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import { type Db, findClaimed, type RecordedCallRow, readRecordedCalls } from '@agp/db';
import type { Preview, PreviewRequest, RecordedCall } from '@agp/policy';
import { findWarnings, listPolicyNames, Replay } from '@agp/policy';
import { endTurn, inTurns } from '@agp/runtime';
import { maxReplayed, maxReplayMs, shareOfReads } from '../limits.ts';
import { assurePatterns } from './try-policies.ts';

/** Whose previews are under way. */
const previewing: string[] = [];
const daysBefore = 7;
const dayMs = 86_400_000;

/** @throws ApiError `too_many_reads` if the holder has two under way, `invalid_parameter` if the time ends before it begins */
export async function preview(
  db: Db,
  request: PreviewRequest,
  { holder, isLeft, providers }: { holder: string; isLeft(): boolean; providers: readonly string[] },
): Promise<Preview> {
  if (previewing.filter((each) => each === holder).length >= shareOfReads.connections)
    throw new ApiError('too_many_reads');
  previewing.push(holder);
  try {
    await assurePatterns(request.policies, holder);
    const named = request.policies.flatMap(listPolicyNames);
    const agents = named.flatMap(({ kind, name }) => (kind === 'agents' ? [name] : []));
    const names = await findClaimed(db, agents);
    const warnings = await inTurns(findWarnings(request.policies, { providers, now: new Date(), ...names }));
    return { ...(await replay(db, request, isLeft)), warnings };
  } finally {
    previewing.splice(previewing.indexOf(holder), 1);
  }
}

async function replay(
  db: Db,
  { policies, from, to }: PreviewRequest,
  isLeft: () => boolean,
): Promise<Omit<Preview, 'warnings'>> {
  const end = to ?? new Date();
  const start = from ?? new Date(end.getTime() - daysBefore * dayMs);
  if (start >= end) throw new ApiError('invalid_parameter', 'from: must be before to');
  const tried = await inTurns(Replay.of(policies, new Date()));
  let first = end.toISOString();
  const isComplete = await replayUntil(performance.now() + maxReplayMs);
  const told = await inTurns(tried.end());
  return { from: isComplete ? start.toISOString() : first, to: end.toISOString(), is_complete: isComplete, ...told };

  async function replayUntil(deadline: number): Promise<boolean> {
    let left = maxReplayed;
    for await (const rows of readRecordedCalls(db, start, end)) {
      for (const row of rows) {
        if (left === 0) return false;
        const call = presentRecorded(row);
        first = call.timestamp;
        for (const _ of tried.add(call)) {
          const rest = endTurn();
          if (rest === undefined) continue;
          await rest;
          if (performance.now() > deadline || isLeft()) return false;
        }
        left -= 1;
      }
    }
    return true;
  }
}

const presentRecorded = (row: RecordedCallRow): RecordedCall => ({
  event_id: toPublicId('evt', row.id),
  session_id: row.session_id,
  agent_id: toPublicId('agt', row.agent_id),
  agent_name: row.agent_name,
  labels: row.labels ?? {},
  timestamp: row.timestamp.toISOString(),
  tag: row.compliance_tag,
  provider: row.provider,
  model: row.model,
  asked: row.asked,
  tools: row.tools,
  decision: row.decision,
  pii: { types: row.pii_types, findings: row.pii_findings ?? [], isFull: row.pii_scan === 'full' },
});
