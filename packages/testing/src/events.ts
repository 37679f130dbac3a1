export * from './insert-alert.ts';
export * from './make-event.ts';
export * from './verify-audit-chain.ts';
export * from './verify-chain.ts';
