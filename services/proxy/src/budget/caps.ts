import type { DailyCap } from '@agp/db';
import type { Caps } from '@agp/metering';
import type { Admission } from '../journey.ts';

const refuses = ({ capNanoUsd, warnOnly }: DailyCap) => capNanoUsd !== null && !warnOnly;

export function findCaps({ limits }: Pick<Admission, 'limits'>): Caps {
  const caps = [limits.agentCap, limits.globalCap];
  return { isCapped: caps.some(({ capNanoUsd }) => capNanoUsd !== null), mayRefuse: caps.some(refuses) };
}

/** @returns the UTC day, `YYYY-MM-DD` */
export const toDay = (timestamp: number): string => new Date(timestamp).toISOString().slice(0, 10);
