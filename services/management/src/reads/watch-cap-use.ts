import { type Db, readCapUse } from '@agp/db';
import { Gauge, keepReading, type Registry } from '@agp/runtime';

/** Part of a cap from which on an agent counts as near it. */
const near = 0.8;

/**
 * Updates gauges of the use of today's caps once a minute, without agents as labels. While Postgres does not answer they keep their
 * values.
 *
 * @returns stops it
 */
export function watchCapUse(db: Db, registry: Registry): () => Promise<void> {
  const gauge = (name: string, help: string) => {
    const made = new Gauge({ name, help, registers: [registry] });
    // Absent until first read: a 0 would hide an alarm.
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
