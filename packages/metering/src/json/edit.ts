export interface SplicedBody {
  body: Buffer;
  added: boolean;
}

export interface Edit {
  start: number;
  end: number;
  text: string;
}

export function apply(body: Buffer, edits: readonly Edit[]): SplicedBody {
  if (edits.length === 0) return { body, added: false };
  const parts: Buffer[] = [];
  let from = 0;
  for (const { start, end, text } of edits) {
    parts.push(body.subarray(from, start), Buffer.from(text));
    from = end;
  }
  parts.push(body.subarray(from));
  return { body: Buffer.concat(parts), added: true };
}

export const insert = (at: number, text: string): Edit => ({ start: at, end: at, text });
