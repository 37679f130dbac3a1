import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestManagement } from './support/start-test-management.ts';

const attempts = 300;
const atOnce = 20;

test(`${attempts} bad keys from one address are throttled after 100, while a valid key from there is let through each time`, async () => {
  await using management = await startTestManagement();
  const statuses = new Map<number, number>();
  let left = attempts;
  const guess = async () => {
    while (left > 0) {
      left -= 1;
      const authorization = `Bearer agm_${randomBytes(32).toString('base64url')}`;
      const response = await management.call('/api/v1/agents', { headers: { authorization } });
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  };
  const valid: number[] = [];
  const guessing = Promise.all(Array.from({ length: atOnce }, guess));
  while (left > 0) {
    const response = await management.call('/api/v1/agents');
    await response.arrayBuffer();
    valid.push(response.status);
  }
  await guessing;
  // When Redis answers too late on a busy machine, the process counts for itself, up to the limit once more.
  const told = statuses.get(401) ?? 0;
  expect(told).toBeGreaterThanOrEqual(100);
  expect(told).toBeLessThanOrEqual(200);
  expect(statuses.get(429)).toBe(attempts - told);
  expect(valid.length).toBeGreaterThan(4);
  expect(valid.filter((status) => status !== 200)).toEqual([]);
});
