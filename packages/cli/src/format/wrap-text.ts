import { graphemes, measureText } from './cut-text.ts';

/** Lines of at most so many columns, broken at spaces where there are some. */
export function wrapText(text: string, columns: number): string[] {
  const lines = [''];
  const addTo = (line: string, part: string, between: string) => {
    if (measureText(line + between + part) > columns) return false;
    lines[lines.length - 1] = line + between + part;
    return true;
  };
  for (const [at, word] of text.split(' ').entries()) {
    if (addTo(lines.at(-1) ?? '', word, at === 0 ? '' : ' ')) continue;
    if (lines.at(-1) !== '') lines.push('');
    for (const { segment } of graphemes.segment(word)) if (!addTo(lines.at(-1) ?? '', segment, '')) lines.push(segment);
  }
  return lines;
}
