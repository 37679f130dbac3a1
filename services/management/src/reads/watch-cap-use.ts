import { type Db, readCapUse } from '@agp/db';
import { Gauge, keepReading, type Registry } from '@agp/runtime';

/** From this part of a cap on, operators want to know of it. */
const near = 0.8;

/**
 * Keeps gauges of how far today's caps are used, once a minute, without naming an agent; while Postgres does not answer
 * they stay as they are.
 *
 * @returns ends it
 */
export function watchCapUse(db: Db, registry: Registry): () => Promise<void> {
  const gauge = (name: string, help: string) => {
    const made = new Gauge({ name, help, registers: [registry] });
    // A 0 that was never read would hide an alarm.
    made.remove();
    return made;
  };
  const agentsNear = gauge(
    'agp_management_agents_near_daily_cap',
    'Active agents that have spent 80 % of their daily cap or more',
  );
  const agentsAt = gauge('agp_management_agents_at_daily_cap', 'Active agents that have spent all of their daily cap');
  const globalRatio = gauge(
    'agp_management_global_daily_cap_used_ratio',
    'Spent part of the daily cap of all agents together; absent without one',
  );
  return keepReading({
    read: () => readCapUse(db, near),
    show(use) {
      agentsNear.set(use.agents_near);
      agentsAt.set(use.agents_at);
      if (use.global_ratio === null) globalRatio.remove();
      else globalRatio.set(use.global_ratio);
    },
  });
}
