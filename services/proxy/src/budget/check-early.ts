import { ApiError } from '@agp/core/errors';
import type { StorageDeadline } from '../storage/storage-deadline.ts';
import type { BudgetOptions, BudgetRequest } from './admit-to-budget.ts';
import { rateLimited, refuseBudget } from './budget-refusals.ts';
import { findRefusing, judgeCaps } from './judge-budget.ts';
import type { OwnReservations } from './own-reservations.ts';

type EarlyCheck = Omit<BudgetRequest, 'eventId' | 'nanoUsd'>;

type CheckEarly = (check: EarlyCheck, deadline: StorageDeadline) => Promise<void>;

const nothingReserved = { agent: 0, global: 0 };

/** Reserves nothing, since the cost is not known yet. */
export function makeCheckEarly({
  shared,
  own,
  storage,
  isStrict,
  onFailure,
}: BudgetOptions & { own: OwnReservations }): CheckEarly {
  async function count(agentId: string, limit: number, deadline: StorageDeadline): Promise<void> {
    const counted = await deadline.ask(shared.countRequest(agentId, limit)).catch((error: Error) => {
      onFailure(error);
      if (isStrict) throw new ApiError('budget_unavailable');
      return own.countRequest(agentId, limit, Date.now());
    });
    if (counted) throw rateLimited(limit, counted.resetSeconds);
  }

  async function checkCaps(check: EarlyCheck, deadline: StorageDeadline): Promise<void> {
    const spend = await storage.readSpend(check.day, check.agentId, deadline.at);
    const judged = judgeCaps({ ...check, nanoUsd: 0 }, spend, nothingReserved);
    if (findRefusing(judged)) throw refuseBudget(judged, check.day, Date.now(), null);
  }

  return async (check, deadline) => {
    const { agentId, agentCap, globalCap, requestsPerMinute } = check;
    if (requestsPerMinute !== null) await count(agentId, requestsPerMinute, deadline);
    if (agentCap.capNanoUsd !== null || globalCap.capNanoUsd !== null) await checkCaps(check, deadline);
  };
}
