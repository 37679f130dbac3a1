export * from './create-pii-scanner.ts';
export type { MissedReason, PiiScan } from './scan-texts.ts';
