export * from './audit-action.ts';
export * from './audit-entry.ts';
export * from './build-audit-payload.ts';
export * from './find-removal-fault.ts';
export * from './judge-removals.ts';
export * from './link-audit.ts';
