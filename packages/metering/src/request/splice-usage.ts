import { apply, type Edit, insert, type SplicedBody } from '../json/edit.ts';
import { type PlacedMember, type ReadBody, scanMembers } from '../json/scan.ts';

const asking = '{"include_usage":true}';

function makeAsk(body: Buffer, options: PlacedMember): Edit[] {
  const inside = scanMembers(body, options.start);
  if (!inside) return [{ start: options.start, end: options.end, text: asking }];
  const members = inside.members.filter(({ key }) => key === 'include_usage');
  if (members.length > 0) {
    const silent = members.filter(({ start, end }) => body.toString('latin1', start, end) !== 'true');
    return silent.map(({ start, end }) => ({ start, end, text: 'true' }));
  }
  return [insert(options.start + 1, inside.members.length === 0 ? '"include_usage":true' : '"include_usage":true,')];
}

function makeAskUnlessTold(body: Buffer, options: PlacedMember): Edit[] {
  if (body.toString('latin1', options.start, options.end) === 'null') return makeAsk(body, options);
  const inside = scanMembers(body, options.start);
  const isTold = !inside || inside.members.some(({ key }) => key === 'include_usage');
  return isTold ? [] : makeAsk(body, options);
}

/** Values of `stream` that no server reads as true. Some servers read `1` or `"true"` as true. */
const noStream = new Set(['false', 'null', '0', '""', '"false"']);

/**
 * Puts `stream_options.include_usage` into a body that asks for a stream and says nothing about it, and leaves every other
 * byte as it is. Of repeated members the last counts, as JSON parsers have it.
 * @param root of the body, if it is one object @param always whatever the caller said, in each of repeated members, and if any server may see a wish to stream
 */
export function spliceStreamUsage(body: Buffer, root: ReadBody['object'], always = false): SplicedBody {
  const unchanged = { body, added: false };
  if (root === null) return unchanged;
  const readValue = (member: PlacedMember) =>
    body.toString('latin1', member.start, Math.min(member.end, member.start + 16));
  const streams = root.members.filter(({ key }) => key === 'stream').map(readValue);
  const streamsAtAll = always ? streams.some((value) => !noStream.has(value)) : streams.at(-1) === 'true';
  if (!streamsAtAll) return unchanged;
  const options = root.members.filter(({ key }) => key === 'stream_options');
  const last = options.at(-1);
  if (!last) return apply(body, [insert(root.start + 1, `"stream_options":${asking},`)]);
  return apply(body, always ? options.flatMap((each) => makeAsk(body, each)) : makeAskUnlessTold(body, last));
}
