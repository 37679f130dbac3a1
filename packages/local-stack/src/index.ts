export { type Guard, openGuard } from './guard/guard.ts';
