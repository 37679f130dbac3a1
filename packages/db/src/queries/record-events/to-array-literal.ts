const special = /[\\"]/;
const everySpecial = /[\\"]/g;

/** Writes a Postgres `text[]` literal of any strings. */
export function toTextArray(values: readonly string[]): string {
  const quoted = values.map((value) => (special.test(value) ? value.replace(everySpecial, '\\$&') : value));
  return values.length === 0 ? '{}' : `{"${quoted.join('","')}"}`;
}

/** Writes an array literal of what needs no quotes: numbers, booleans, UUIDs, timestamps, `ses_` ids, hashes. */
export function toPlainArray(values: readonly unknown[]): string {
  return `{${values.join(',')}}`;
}
