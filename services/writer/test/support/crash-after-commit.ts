/** A writer that is killed between the commit of its first batch and everything that follows it. */

import { writerConfigSchema } from '@agp/settings';
import { startWriter } from '../../src/start-writer.ts';

const [databaseUrl, natsUrl, redisUrl, ackWaitMs] = process.argv.slice(2);
const config = writerConfigSchema.parse({
  databaseUrl,
  natsUrl,
  redisUrl,
  opsHost: '127.0.0.1',
  opsPort: 0,
  logLevel: 'silent',
});
await startWriter(config, {
  ackWaitMs: Number(ackWaitMs),
  steps: (steps) => ({
    ...steps,
    record: async (batch) => {
      await steps.record(batch);
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    },
  }),
});
