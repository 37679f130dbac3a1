import { expect, test } from 'vitest';
import { writerConfigSchema } from './writer.ts';

const servers = {
  databaseUrl: 'postgres://agp_writer:x@localhost/agp',
  natsUrl: 'nats://localhost',
  redisUrl: 'redis://localhost',
};

test('events are kept for 72 hours at most, so that a second replay finds in the database what the first recorded', () => {
  expect(writerConfigSchema.parse({ ...servers, eventKeepHours: '72' }).eventKeepHours).toBe(72);
  const { error } = writerConfigSchema.safeParse({ ...servers, eventKeepHours: '73' });
  expect(error?.issues.map(({ path }) => path)).toEqual([['eventKeepHours']]);
});
