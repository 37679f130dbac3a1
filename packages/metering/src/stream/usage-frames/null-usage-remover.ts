/** As servers write it, with and without a space; in a string the quotes would be escaped. */
const spellings = [Buffer.from(',"usage":null'), Buffer.from(', "usage": null')];
const nothing = Buffer.alloc(0);

/**
 * Takes the member `"usage":null` out of a stream's bytes. OpenAI puts it into every chunk but the last where
 * `include_usage` was asked for, and into none where it was not
 * (https://platform.openai.com/docs/api-reference/chat/create, `stream_options`).
 */
export class NullUsageRemover {
  /** Bytes that may be the beginning of the member. */
  #held: Buffer = nothing;

  /** Takes the next bytes and returns those that are clear. */
  push(chunk: Buffer): Buffer {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (const spelling of spellings) bytes = remove(bytes, spelling);
    const clear = bytes.length - unfinishedLength(bytes);
    // A copy, since the caller may use the chunk's memory again.
    this.#held = clear === bytes.length ? nothing : Buffer.from(bytes.subarray(clear));
    return bytes.subarray(0, clear);
  }

  /** The bytes that are still held when the stream ends. */
  end(): Buffer {
    const rest = this.#held;
    this.#held = nothing;
    return rest;
  }
}

function remove(bytes: Buffer, spelling: Buffer): Buffer {
  let at = bytes.indexOf(spelling);
  if (at < 0) return bytes;
  const kept: Buffer[] = [];
  let from = 0;
  for (; at >= 0; at = bytes.indexOf(spelling, from)) {
    kept.push(bytes.subarray(from, at));
    from = at + spelling.length;
  }
  kept.push(bytes.subarray(from));
  return Buffer.concat(kept);
}

/** How many bytes at the end could go on to be the member. */
function unfinishedLength(bytes: Buffer): number {
  const longest = Math.min(bytes.length, Math.max(...spellings.map(({ length }) => length)) - 1);
  const comma = bytes.lastIndexOf(',');
  const length = bytes.length - comma;
  if (comma < 0 || length > longest) return 0;
  return spellings.some((spelling) => bytes.subarray(comma).equals(spelling.subarray(0, length))) ? length : 0;
}
