export * from '../contracts/audit-action.ts';
export * from './audit-entry.ts';
export * from './judge-removals.ts';
