/** A number as some compatible servers write it: in a string. */
const written = /^\d{1,12}(?:\.\d{1,12})?$/;

/** A figure that stands in a string as the number that it is; anything else stays what it was. */
export function asFigure(value: unknown): unknown {
  return typeof value === 'string' && written.test(value) ? Number(value) : value;
}
