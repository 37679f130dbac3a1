import { ApiError } from '@agp/core/errors';
import type { CallHead } from '../call-head.ts';
import type { Operation } from '../dialects/operation.ts';
import type { MeteringParts } from '../metering-parts.ts';
import type { InspectedBody } from '../request/inspect-body.ts';
import { computeReservation } from './reserve.ts';

export interface Cheaper {
  bound: string;
  nanoUsd: number;
}

/** How cheap a request becomes by its bound on the output alone; null if it has none. For refused ones only. */
export function findCheaper(
  parts: MeteringParts,
  head: CallHead,
  body: InspectedBody | null,
  mayRefuse: boolean,
): Cheaper | null {
  const bound = head.operation && body && findBound(head.operation, body.bytes);
  if (!bound) return null;
  const { strict } = body;
  if (strict instanceof ApiError) return null;
  const outputTokens = Math.max(1, body.otherOutputTokens);
  const lowered = { outputTokens, leastOutputTokens: outputTokens, isBoundNew: false };
  const cheaper: InspectedBody = {
    ...body,
    maxOutputTokens: outputTokens,
    leastOutputTokens: outputTokens,
    strict: strict && { ...strict, ...lowered },
  };
  try {
    return { bound, nanoUsd: computeReservation(parts, head, cheaper, mayRefuse) };
  } catch {
    return null;
  }
}

function findBound(operation: Operation, bytes: Buffer): string | null {
  const { bounds } = operation;
  if (bounds?.writes !== 'text') return null;
  const names = Object.entries({ ...bounds.members, ...bounds.settings })
    .filter(([, rule]) => rule === 'bound')
    .map(([name]) => (bounds.isEitherCase ? name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) : name));
  return names.find((name) => bytes.includes(`"${name}"`)) ?? names[0] ?? null;
}
