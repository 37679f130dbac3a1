export * from './admit-to-budget.ts';
export * from './create-budget.ts';
export * from './find-caps.ts';
