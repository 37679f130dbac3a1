import { usdToDecimal } from './money.ts';

/**
 * Where a formula would begin for a spreadsheet: at the start of a cell, or within it after another separator than the comma, with or
 * without quotes. The wide characters are those of Chinese, Japanese and Korean keyboards. The character comes first, so that quotes are
 * only looked back over from there.
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
  const plain = typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : value;
  const text = Array.isArray(plain) ? plain.join(';') : String(plain);
  const harmless = text.replace(formulaStart, "'");
  return /^\s|[",\r\n]|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** One line of CSV with its end: numbers as decimals, nothing for null, lists with semicolons, objects as JSON. */
export function writeCsvLine(cells: readonly unknown[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}
