import { randomUUIDv7 } from 'node:crypto';
import { fromPublicId } from '@agp/core/ids';
import { keepForwarded } from '@agp/db';
import { eventually } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { expect, test } from 'vitest';
import { startWriterStack } from './support/start-writer-stack.ts';

const silentMs = 1_000;

test('while writers are behind, no request is lost whose event waits for them; one whose event never comes is, when they are not', async () => {
  const stack = await startWriterStack();
  const { pool } = stack.database;
  const [late, lost] = [makeEvent(), makeEvent()];
  const uuids = [late, lost].map(({ id }) => fromPublicId('evt', id) as string);
  // As where its proxy went silent once JetStream had the event.
  stack.publish([late]);
  expect(await stack.outbox.drain(10_000)).toBe(0);
  await keepForwarded(
    pool,
    uuids.map((eventId) => ({
      eventId,
      agentId: randomUUIDv7(),
      day: late.timestamp.slice(0, 10),
      costNanoUsd: 5,
      request: null,
    })),
  );
  const caughtUp = Promise.withResolvers<void>();
  const tried = Promise.withResolvers<void>();
  await stack.start({
    sweepEveryMs: 50,
    silentMs,
    steps: (steps) => ({
      ...steps,
      async record(batch) {
        tried.resolve();
        await caughtUp.promise;
        return steps.record(batch);
      },
    }),
  });
  await tried.promise;
  const readNoted = async () => (await pool.query('SELECT event_id FROM unrecorded_spend')).rows;
  // Many rounds.
  await new Promise((resolve) => setTimeout(resolve, 3 * silentMs));
  expect(await readNoted()).toEqual([]);
  caughtUp.resolve();
  await eventually(async () => expect(await readNoted()).toEqual([{ event_id: uuids[1] }]));
  // Noted first, forgotten then.
  await eventually(async () => expect(await stack.count('forwarded_requests')).toBe(0));
  expect(await stack.count('events')).toBe(1);
});
