import { findCut, findMisshown, findRefusal } from '@agp/core/chain';
import { callApi } from '../../api/call-api.ts';
import { type CheckedLink, checkChain } from '../../verify/check-chain.ts';
import type { Finding } from '../../verify/use-chain-check.ts';

interface Progress {
  signal: AbortSignal;
  onTotal: (total: number) => void;
  onSteps: (steps: readonly CheckedLink[]) => void;
}

/**
 * Downloads a session's chain, computes every hash in this browser, compares its end with its head, and each event that the API shows
 * with what the chain has.
 *
 * @throws ApiFailure where something cannot be downloaded
 */
export async function checkSession(sessionId: string, { signal, onTotal, onSteps }: Progress): Promise<Finding> {
  const params = { path: { session_id: sessionId } };
  // In this order: what is recorded in between is in what is read later, which is no fault. The server's judgement only counts where it
  // is a no.
  const { data: told } = await callApi('get', '/api/v1/lineage/{session_id}/verify', { params, signal });
  const { data: lineage } = await callApi('get', '/api/v1/lineage/{session_id}', { params, signal });
  const { data: events } = await callApi('get', '/api/v1/events/sessions/{session_id}', { params, signal });
  const { data: removals } = await callApi('get', '/api/v1/lineage/{session_id}/removed', { params, signal });
  const links = lineage.entries.map(({ event_id, ...entry }) => ({ ...entry, id: event_id }));
  onTotal(links.length);
  const { removed } = removals;
  const check = await checkChain(links, { owner: { session_id: sessionId }, removed, onSteps, signal });
  const divergence =
    check.divergence ??
    findCut({ length: told.length, hash: told.head }, links, removed, check.head) ??
    findMisshown(links, events, removed) ??
    findRefusal(told);
  return { ...check, divergence };
}
