import { sessionListSchema } from '@agp/core/contracts';
import { expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();

test('sessions with failures are listed, and how many failed, if that is asked for', async () => {
  const failing = await seedAgent(management.database, 'failing');
  const at = (second: number) => `2026-03-04T00:00:0${second}.000Z`;
  await seedEvents(management.database, [
    makeEvent(failing, 'ses_failing', at(0), { http_status: 529 }),
    makeEvent(failing, 'ses_failing', at(1)),
    makeEvent(failing, 'ses_failing', at(2), { outcome: 'failed', http_status: null }),
    makeEvent(failing, 'ses_failing', at(3), { outcome: 'aborted', http_status: 200 }),
    makeEvent(failing, 'ses_fine', at(4)),
  ]);
  const read = (query: string) => management.read(`/api/v1/sessions?${query}`, sessionListSchema);
  const counts = (await read(`agent_id=${failing}&expand=failures`)).map(({ id, failed_count }) => [id, failed_count]);
  expect(counts).toEqual([
    ['ses_fine', 0],
    ['ses_failing', 2],
  ]);
  const [only, ...others] = await read('failed=true&expand=names,failures');
  expect([only, others]).toMatchObject([{ id: 'ses_failing', failed_count: 2, labels: [] }, []]);
  expect((await read('failed=true'))[0]).not.toHaveProperty('failed_count');
  const events = await management.call('/api/v1/events?session_id=ses_failing&failed=true');
  expect(await events.json()).toHaveLength(2);
  const total = await management.call('/api/v1/sessions?failed=true&total=true&limit=1');
  expect(total.headers.get('x-total')).toBe('1');
  const csv = await management.call('/api/v1/sessions?failed=true&expand=failures', {
    headers: { accept: 'text/csv' },
  });
  expect((await csv.text()).split('\r\n', 1)[0]).toMatch(/,failed_count$/);
});

test('of a long session the latest events are looked at, and a range is of failures too', async () => {
  const agent = await seedAgent(management.database, 'long');
  const at = (second: number) => new Date(Date.parse('2026-04-05T00:00:00.000Z') + second * 1_000).toISOString();
  await seedEvents(
    management.database,
    Array.from({ length: 1_002 }, (_, second) =>
      makeEvent(agent, 'ses_long', at(second), { http_status: second < 2 || second === 1_001 ? 500 : 200 }),
    ),
  );
  const read = (query: string) =>
    management.read(`/api/v1/sessions?agent_id=${agent}&expand=failures&${query}`, sessionListSchema);
  expect(await read('')).toMatchObject([{ id: 'ses_long', event_count: 1_002, failed_count: 1 }]);
  expect(await read(`failed=true&from=${at(0)}`)).toHaveLength(1);
  expect(await read(`failed=true&from=${at(0)}&to=${at(5)}`)).toHaveLength(1);
  expect(await read(`failed=true&to=${at(0)}`)).toEqual([]);
});
