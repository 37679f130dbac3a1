import type { Figures } from './story.ts';

export interface Result {
  name: string;
  promise: string;
  figures: Figures;
  /** Why the promise is broken; null where it holds. */
  fault: string | null;
  seconds: number;
}

const showFigures = (figures: Figures) =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? value.toLocaleString('en-US') : value}`)
    .join('; ');

/** What a story did not do here, and so can say nothing about. */
export const isTried = ({ figures }: Result) => !('not tried' in figures);

function judge(result: Result): string {
  if (result.fault !== null) return `**BROKEN**: ${result.fault.slice(0, longestFault)}`;
  return isTried(result) ? 'kept' : 'not tried';
}

const toCell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();

/** Long differences stay in what was printed while the story ran. */
const longestFault = 300;

/** The table in Markdown, a row for each story. */
export function writeTable(results: readonly Result[]): string {
  const rows = results.map((result) => [
    result.name,
    result.promise,
    showFigures(result.figures),
    `${result.seconds.toFixed(0)} s`,
    judge(result),
  ]);
  const head = ['story', 'promise', 'figures', 'took', 'verdict'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(toCell).join(' | ')} |\n`).join('');
}
