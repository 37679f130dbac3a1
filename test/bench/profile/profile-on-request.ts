import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

/*
 * Loaded before a service (`--import`): profiles it while its parent asks for that. Costs nothing until then.
 */

export type ProfileOrder = { profile: 'start' } | { profile: 'stop'; file: string };

const samplingUs = 200;
const session = new Session();

async function obey(order: ProfileOrder): Promise<void> {
  if (order.profile === 'start') {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: samplingUs });
    await session.post('Profiler.start');
  } else {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    writeFileSync(order.file, JSON.stringify(profile));
  }
  process.send?.({ profiled: order.profile });
}

process.on('message', (order: Partial<ProfileOrder>) => {
  if (order.profile) void obey(order as ProfileOrder);
});
// The service ends as it would without this.
process.channel?.unref();
