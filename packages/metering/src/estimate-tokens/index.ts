export * from './create-token-estimator.ts';
export * from './token-estimator.ts';
