/** A writer as in production, except that it seals more often; it sends its parent a message once it is up. */

import { writerConfigSchema } from '@agp/settings';
import { startWriter } from '../../src/start-writer.ts';

const [databaseUrl, natsUrl, redisUrl] = process.argv.slice(2);
const config = writerConfigSchema.parse({
  databaseUrl,
  natsUrl,
  redisUrl,
  opsHost: '127.0.0.1',
  opsPort: 0,
  logLevel: 'silent',
});
await startWriter(config, { sealEveryMs: 5 });
process.send?.('up');
