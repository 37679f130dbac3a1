import { type Member, scanMembers, skipSpace } from '../json/members.ts';

/** A request body, and whether it was changed. */
interface SplicedBody {
  body: Buffer;
  /** The provider will now send a usage chunk that the caller did not ask for, or asked not to have. */
  added: boolean;
}

/** Replaces the bytes from `start` to `end`. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

function apply(body: Buffer, edits: readonly Edit[]): SplicedBody {
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

const insert = (at: number, text: string): Edit => ({ start: at, end: at, text });

const asking = '{"include_usage":true}';

/** Makes a value of `stream_options` ask for usage, even if the caller set `include_usage` to false. */
function makeAsk(body: Buffer, options: Member): Edit[] {
  const inside = scanMembers(body, options.start);
  if (!inside) return [{ start: options.start, end: options.end, text: asking }];
  const members = inside.members.filter(({ key }) => key === 'include_usage');
  if (members.length > 0) {
    const silent = members.filter(({ start, end }) => body.toString('latin1', start, end) !== 'true');
    return silent.map(({ start, end }) => ({ start, end, text: 'true' }));
  }
  return [insert(options.start + 1, inside.members.length === 0 ? '"include_usage":true' : '"include_usage":true,')];
}

/** The same, unless the caller set `include_usage`. */
function makeAskUnlessTold(body: Buffer, options: Member): Edit[] {
  if (body.toString('latin1', options.start, options.end) === 'null') return makeAsk(body, options);
  const inside = scanMembers(body, options.start);
  const isTold = !inside || inside.members.some(({ key }) => key === 'include_usage');
  return isTold ? [] : makeAsk(body, options);
}

/** Values of `stream` that no server reads as true. Some servers read `1` or `"true"` as true. */
const noStream = new Set(['false', 'null', '0', '""', '"false"']);

/**
 * Asks for the usage of a streamed completion where the caller did not: puts `stream_options.include_usage` into the
 * bytes of the body and leaves every other byte as it is. Bodies that ask for no stream, that say anything about
 * `include_usage` themselves, or that are not JSON come back as they were. Of repeated members the last one counts,
 * as JSON parsers have it.
 *
 * @param always asks whatever the caller said, in each of repeated members, and wherever some server may see a wish to
 *   stream; bodies that are not JSON come back as they were all the same
 */
export function spliceStreamUsage(body: Buffer, always = false): SplicedBody {
  const unchanged = { body, added: false };
  const start = skipSpace(body, 0);
  const root = scanMembers(body, start);
  if (!root || skipSpace(body, root.end) !== body.length) return unchanged;
  const readValue = (member: Member) => body.toString('latin1', member.start, Math.min(member.end, member.start + 16));
  const streams = root.members.filter(({ key }) => key === 'stream').map(readValue);
  const streamsAtAll = always ? streams.some((value) => !noStream.has(value)) : streams.at(-1) === 'true';
  if (!streamsAtAll) return unchanged;
  const options = root.members.filter(({ key }) => key === 'stream_options');
  const last = options.at(-1);
  if (!last) return apply(body, [insert(start + 1, `"stream_options":${asking},`)]);
  return apply(body, always ? options.flatMap((each) => makeAsk(body, each)) : makeAskUnlessTold(body, last));
}
