import { usdToDecimal } from '@agp/core/money';

/**
 * Where a formula would begin for a spreadsheet: at the start of a cell, and, if it takes other separators than the comma, within it,
 * with or without quotes in between. The wide characters count where keyboards are Chinese, Japanese or Korean. The character comes
 * first, so that quotes are only looked back over from there.
 */
const formulaStart = /(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])(?<=(?:^|[;|\t\r\n])"*)/g;

/** Amounts below a millionth have an exponent in JSON; many readers of CSV know none. */
function writeNumber(value: number): string {
  const text = String(value);
  const decimal = text.includes('e') ? usdToDecimal(value) : text;
  return Number(decimal) === value ? decimal : text;
}

/** Text from outside cannot become a formula: an apostrophe stands before what would begin one. */
function writeCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return writeNumber(value);
  const text = Array.isArray(value) ? value.join(';') : String(value);
  const harmless = text.replace(formulaStart, "'");
  return /^\s|[",\r\n]|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** One line of CSV as RFC 4180 has it, with its end. */
export function writeCsvLine(cells: readonly unknown[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}
