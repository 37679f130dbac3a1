import stringWidth from 'string-width';

export const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Columns of a terminal that a line takes: two for a wide character, none for a mark. */
export function measureText(text: string): number {
  return stringWidth(text);
}

/** A line of at most so many columns, which ends with an ellipsis where something is missing. No character is cut in two. */
export function cutText(text: string, columns: number): string {
  if (measureText(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += measureText(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns < 1 ? '' : `${kept}…`;
}
