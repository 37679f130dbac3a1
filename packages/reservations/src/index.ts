export type { Redis } from 'ioredis';
export * from './budget-reservations.ts';
export {
  type BudgetShare,
  type Charges,
  countsTokens,
  listCharges,
  listHeldDays,
  withoutRequests,
} from './budget-share.ts';
export * from './connect-redis.ts';
export * from './create-throttle.ts';
export * from './idle-sessions.ts';
export * from './session-values.ts';
