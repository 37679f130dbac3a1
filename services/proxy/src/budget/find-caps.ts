import type { DailyCap } from '@agp/db';
import type { Caps } from '@agp/metering';
import type { Admission } from '../journey.ts';

const isHeldTo = ({ capNanoUsd, warnOnly }: DailyCap) => capNanoUsd !== null && !warnOnly;

/** Which caps hold for a request, of its agent or of all. */
export function findCaps({ limits }: Pick<Admission, 'limits'>): Caps {
  const caps = [limits.agentCap, limits.globalCap];
  return { isCapped: caps.some(({ capNanoUsd }) => capNanoUsd !== null), isHeld: caps.some(isHeldTo) };
}
