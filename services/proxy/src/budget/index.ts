export * from './admit-to-budget.ts';
export * from './create-budget.ts';
export * from './estimate-reservation.ts';
