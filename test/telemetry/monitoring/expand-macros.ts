/** The time that a dashboard shows. */
export interface TimeRange {
  from: Date;
  to: Date;
}

/** `$__interval` for a panel of a day or so. */
const intervalSeconds = 60;

/**
 * Writes a panel's SQL as Grafana would send it: what its Postgres source makes of macros, and the variables with their values
 * (an `All` as the variable says it).
 *
 * @throws Error for a macro that our panels do not use yet
 */
export function expandSql(sql: string, { from, to }: TimeRange, variables: Record<string, string>): string {
  const [start, end] = [from, to].map((time) => `'${time.toISOString()}'`);
  const expanded = sql
    .replaceAll('$__interval', `${intervalSeconds}s`)
    .replaceAll('$__timeFrom()', `${start}`)
    .replaceAll('$__timeTo()', `${end}`)
    .replaceAll(/\$__timeFilter\(([^)]+)\)/g, (_, column) => `${column} BETWEEN ${start} AND ${end}`)
    .replaceAll(/\$__timeGroup\(([^,]+), (\d+)s\)/g, (_, column, seconds) => {
      return `floor(extract(epoch from ${column})/${seconds})*${seconds}`;
    })
    .replaceAll(/\$\{(\w+):sqlstring\}/g, (whole, name) => variables[name] ?? whole);
  const [left] = expanded.match(/\$(__\w+|\{)/) ?? [];
  if (left !== undefined) throw new Error(`not expanded: ${left} in ${sql}`);
  return expanded;
}

/** Writes a panel's PromQL as Grafana would send it. `$__rate_interval` is four scrapes at least. */
export function expandPromql(expression: string, variables: Record<string, string>): string {
  const expanded = expression
    .replaceAll('$__rate_interval', '1m')
    .replaceAll(/"\$(\w+)"/g, (whole, name) => (name in variables ? `"${variables[name]}"` : whole));
  if (expanded.includes('$')) throw new Error(`not expanded: ${expanded}`);
  return expanded;
}
