export * from '../contracts/audit-action.ts';
export * from './audit-entry.ts';
