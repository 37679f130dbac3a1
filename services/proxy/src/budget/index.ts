export * from './admit-to-budget.ts';
export * from './create-budget.ts';
export { computeReservation } from './estimate-reservation.ts';
