import { expect, test } from 'vitest';
import { writeCsvLine } from './csv.ts';

/** Cells as a spreadsheet reads them that takes this separator. A quote counts only where a cell begins; what follows its end is kept. */
function readCells(text: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isStart = true;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (isStart && character === '"') {
      for (at += 1; at < text.length && (text[at] !== '"' || text[at + 1] === '"'); at += 1) {
        cell += text[at];
        if (text[at] === '"') at += 1;
      }
      isStart = false;
    } else if (character === separator || character === '\n' || character === '\r') {
      cells.push(cell);
      cell = '';
      isStart = true;
    } else {
      cell += character;
      isStart = false;
    }
  }
  return [...cells, cell];
}

/** All texts of so many of these characters. */
function* spell(alphabet: readonly string[], length: number): Generator<string> {
  if (length === 0) yield '';
  else for (const rest of spell(alphabet, length - 1)) for (const character of alphabet) yield character + rest;
}

test.each([',', ';', '\t', '|'])('no text becomes a formula where cells end at %j', (separator) => {
  const formulas: string[] = [];
  for (const text of spell(['=', '"', separator, ';', '\n', 'a'], 5)) {
    const cells = readCells(writeCsvLine(['name', text, text]), separator);
    if (cells.some((cell) => cell.startsWith('='))) formulas.push(text);
  }
  expect(formulas.slice(0, 10)).toEqual([]);
});

test('a long run of quotes is written as well', () => {
  const text = `${'"'.repeat(200_000)}=${'="'.repeat(100_000)}`;
  expect(writeCsvLine([text]).length).toBeGreaterThan(2 * text.length - 200_000);
});
