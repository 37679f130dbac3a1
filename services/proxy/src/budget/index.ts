export * from './create-budget.ts';
export * from './estimate-reservation.ts';
