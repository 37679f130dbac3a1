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

const toCell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();

/** Long differences stay in what was printed while the story ran. */
const longestFault = 300;

/** The table in Markdown, a row for each story. */
export function writeTable(results: readonly Result[]): string {
  const rows = results.map(({ name, promise, figures, fault, seconds }) => [
    name,
    promise,
    showFigures(figures),
    `${seconds.toFixed(0)} s`,
    fault === null ? 'kept' : `**BROKEN**: ${fault.slice(0, longestFault)}`,
  ]);
  const head = ['story', 'promise', 'figures', 'took', 'verdict'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(toCell).join(' | ')} |\n`).join('');
}
