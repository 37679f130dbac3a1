import { diffArrays } from 'diff';

/** Lines of a text from one to another, and what stands in their place in another version. */
interface Edit {
  from: number;
  to: number;
  lines: string[];
}

function listEdits(base: string[], other: string[]): Edit[] {
  const edits: Edit[] = [];
  let at = 0;
  let isOpen = false;
  for (const { added, removed, value } of diffArrays(base, other)) {
    const isChange = added || removed;
    if (isChange && !isOpen) edits.push({ from: at, to: at, lines: [] });
    isOpen = isChange;
    const open = edits.at(-1);
    if (added) open?.lines.push(...value);
    else at += value.length;
    if (removed && open) open.to = at;
  }
  return edits;
}

/** The changes of two people to one text; null if they changed the same or neighbouring lines in two ways. */
export function mergeTexts(base: string, mine: string, theirs: string): string | null {
  const lines = base.split('\n');
  const [own, other] = [mine, theirs].map((text) =>
    listEdits(lines, text.split('\n')).map((edit) => JSON.stringify(edit)),
  );
  const edits = [...new Set([...(own ?? []), ...(other ?? [])])]
    .map((edit) => JSON.parse(edit) as Edit)
    .sort((one, two) => one.from - two.from || one.to - two.to);
  if (edits.some(({ to }, at) => (edits[at + 1]?.from ?? Number.POSITIVE_INFINITY) <= to)) return null;
  for (const edit of edits.toReversed()) lines.splice(edit.from, edit.to - edit.from, ...edit.lines);
  return lines.join('\n');
}
