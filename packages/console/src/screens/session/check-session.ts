import { findMisshown } from '@agp/core/chain';
import { callApi } from '../../api/call-api.ts';
import { type CheckedLink, checkChain } from '../../verify/check-chain.ts';
import type { Finding } from '../../verify/use-chain-check.ts';

interface Progress {
  signal: AbortSignal;
  onTotal: (total: number) => void;
  onSteps: (steps: readonly CheckedLink[]) => void;
}

/**
 * Downloads a session's chain, computes every hash in this browser, and compares each event that the API shows with what the chain has.
 *
 * @throws ApiFailure where something cannot be downloaded
 */
export async function checkSession(sessionId: string, { signal, onTotal, onSteps }: Progress): Promise<Finding> {
  const params = { path: { session_id: sessionId } };
  // In this order: what is recorded in between is in the events and not in the chain, which is no fault.
  const { data: lineage } = await callApi('get', '/api/v1/lineage/{session_id}', { params, signal });
  const { data: events } = await callApi('get', '/api/v1/events/sessions/{session_id}', { params, signal });
  const { data: removals } = await callApi('get', '/api/v1/lineage/{session_id}/removed', { params, signal });
  const links = lineage.entries.map(({ event_id, ...entry }) => ({ ...entry, id: event_id }));
  onTotal(links.length);
  const { removed } = removals;
  const check = await checkChain(links, { owner: { session_id: sessionId }, removed, onSteps, signal });
  return { ...check, divergence: check.divergence ?? findMisshown(links, events, removed) };
}
