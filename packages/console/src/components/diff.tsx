import { structuredPatch } from 'diff';

/** Lines of both versions around what differs. */
const context = 2;

/** The lines that differ, with some around them. */
export function Diff({ before, after }: { before: string; after: string }) {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context });
  const lines = hunks.flatMap((hunk, index) => [...(index > 0 ? [' …'] : []), ...hunk.lines]);
  const tags = { '+': 'ins', '-': 'del' } as const;
  return (
    <pre className="code-block diff">
      {lines.length === 0 && <span>The same text.</span>}
      {lines.map((line, index) => {
        const Tag = tags[line[0] as '+' | '-'] ?? 'span';
        return <Tag key={index}>{line}</Tag>;
      })}
    </pre>
  );
}
