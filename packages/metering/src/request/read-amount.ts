import { maxTokens } from '@agp/pricing';

/** A number that a request gives. */
interface Amount {
  value: number;
  /** A whole number from 0 on, which every server reads alike. */
  isWhole: boolean;
}

/** The number that a lenient server might make of it; 0 if none. */
function coerce(value: unknown): number {
  if (Array.isArray(value) && value.length === 1) return typeof value[0] === 'object' ? 0 : coerce(value[0]);
  const number = typeof value === 'number' || typeof value === 'string' || value === true ? Number(value) : Number.NaN;
  return number > 0 ? Math.min(Math.ceil(number), maxTokens) : 0;
}

/** The number in a member; null if it is missing or null. */
export function readAmount(value: unknown): Amount | null {
  if (value === undefined || value === null) return null;
  const isWhole = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxTokens;
  return { value: isWhole ? (value as number) : coerce(value), isWhole };
}
