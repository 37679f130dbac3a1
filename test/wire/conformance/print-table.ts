import { type Condition, conditions, type Recorded, type Row } from './cell.ts';
import type { WireForm } from './wire-forms.ts';

/** A call that was made, and whether all of it was as it should be. */
export interface Result {
  row: Row;
  column: Condition | WireForm;
  recorded: Recorded | null;
  isRight: boolean;
}

const nameOf = ({ api, stream }: Row) => (stream === 'no' ? api : `${api}, ${stream}`);

function toLines(table: readonly string[][]): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  return table
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Tokens in and out and the cost in nano-dollars, then whose figures these are and how it ended, by first letters. */
function toText({ recorded, isRight }: Result): string {
  const mark = isRight ? '' : 'WRONG ';
  if (recorded === null) return `${mark}?`;
  const { prompt_tokens: prompt, completion_tokens: completion, cost_usd: cost, usage_source, outcome } = recorded;
  return `${mark}${prompt}+${completion} ${Math.round(cost * 1e9)} ${usage_source[0]}${outcome[0]}`;
}

/** The table of all results: figures for each condition. */
export function printTable(rows: readonly Row[], results: readonly Result[]): string {
  const figures = rows.map((row) => [
    nameOf(row),
    ...conditions.map((column) => {
      const result = results.find((each) => each.row === row && each.column === column);
      return result ? toText(result) : '-';
    }),
  ]);
  return [
    'tokens in + out, cost in nano-dollars; figures: p provider, e estimated, n none; outcome: c completed, a aborted, f failed',
    toLines([['', ...conditions], ...figures]),
    '',
    `${results.filter(({ isRight }) => isRight).length} of ${results.length} cells are right`,
  ].join('\n');
}
