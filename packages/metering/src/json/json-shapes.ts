import { readCount } from '@agp/pricing';

export type JsonObject = Readonly<Record<string, unknown>>;

const nothing: JsonObject = Object.freeze(Object.create(null));

/** The value if it is an object, else one without members, so that what is missing reads as undefined all the way down. */
export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : nothing;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a string with something in it. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A value as part of a name: text and numbers as they are, else its kind. A template throws for `{"toString":0}`. */
export function asName(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : typeof value;
}

/** A figure that may be left out: 0 if it is, null if it is something else than a count. */
export function optionalCount(value: unknown): number | null {
  return value === undefined || value === null ? 0 : readCount(value);
}
