/** A number as some compatible servers write it: in a string. */
const written = /^\d{1,12}(?:\.\d{1,12})?$/;

/** Turns a figure in a string into a number; anything else is returned as it is. */
export function asFigure(value: unknown): unknown {
  return typeof value === 'string' && written.test(value) ? Number(value) : value;
}
