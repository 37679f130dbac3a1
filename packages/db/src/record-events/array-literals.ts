const special = /[\\"]/;
const everySpecial = /[\\"]/g;

const toQuotable = (value: string) => (special.test(value) ? value.replace(everySpecial, '\\$&') : value);

export function toNullableTextArray(values: readonly (string | null | undefined)[]): string {
  return `{${values.map((value) => (value == null ? 'NULL' : `"${toQuotable(value)}"`)).join(',')}}`;
}

export function toTextArray(values: readonly string[]): string {
  return values.length === 0 ? '{}' : `{"${values.map(toQuotable).join('","')}"}`;
}

/** Writes values that need no quotes: numbers, booleans, UUIDs, timestamps, `ses_` ids, hashes. */
export function toPlainArray(values: readonly unknown[]): string {
  return `{${values.join(',')}}`;
}
