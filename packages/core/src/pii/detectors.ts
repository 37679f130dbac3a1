import type { Detector } from './detector.ts';

/** Every detector there is. Their order does not matter. */
export const detectors: readonly Detector[] = [];
