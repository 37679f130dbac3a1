import { test } from 'vitest';
import { answerByFate, settleReservations } from '../prove/stories/settle-reservations.ts';
import { startProcesses } from '../system/start-processes.ts';
import { startBudgetSystem, stayWithinTheDay } from './support/budget-system.ts';

test('after requests that complete, fail, break, are refused or abandoned, nothing stays reserved; what a killed proxy held is noted once its lease has ended, and what runs on stays', async () => {
  await stayWithinTheDay(60_000);
  const { answer, release } = answerByFate();
  await using budgets = await startBudgetSystem(
    answer,
    { proxies: 2, within: ['writer', 'management'] },
    startProcesses,
  );
  await settleReservations(budgets, release, { requests: 60, atOnce: 10, killed: 10 });
});
