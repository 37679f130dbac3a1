import type { Admission } from '../journey.ts';

/** Whether a cap holds for the request, of its agent or of all; one that only warns counts too. */
export const isCapped = ({ limits }: Admission): boolean =>
  limits.agentCap.capNanoUsd !== null || limits.globalCap.capNanoUsd !== null;
