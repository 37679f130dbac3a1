export interface SplicedBody {
  body: Buffer;
  added: boolean;
}

/** What stands in the place of the bytes from `start` to before `end`. */
export interface Edit {
  start: number;
  end: number;
  text: string | Buffer;
}

/** Every other byte stays as it is. @param edits in their order, none over another */
export function apply(body: Buffer, edits: readonly Edit[]): SplicedBody {
  if (edits.length === 0) return { body, added: false };
  const parts: Buffer[] = [];
  let from = 0;
  for (const { start, end, text } of edits) {
    parts.push(body.subarray(from, start), typeof text === 'string' ? Buffer.from(text) : text);
    from = end;
  }
  parts.push(body.subarray(from));
  return { body: Buffer.concat(parts), added: true };
}

export const insert = (at: number, text: string | Buffer): Edit => ({ start: at, end: at, text });
