export * from './create-pii-scanner.ts';
export type { MissedReason } from './scan-memory.ts';
export type { PiiScan } from './scan-texts.ts';
