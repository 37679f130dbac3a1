import { type Member, scanMembers, skipSpace } from './scan-members.ts';

/** A request body, and whether it was changed. */
export interface SplicedBody {
  body: Buffer;
  /** The provider will now send a usage chunk that the caller did not ask for. */
  added: boolean;
}

function insert(body: Buffer, start: number, end: number, text: string): SplicedBody {
  return { body: Buffer.concat([body.subarray(0, start), Buffer.from(text), body.subarray(end)]), added: true };
}

/**
 * Asks for the usage of a streamed completion where the caller did not: puts `stream_options.include_usage` into the
 * bytes of the body and leaves every other byte as it is. Bodies that ask for no stream, that say anything about
 * `include_usage` themselves, or that are not JSON come back as they were. Of repeated members the last one counts,
 * as JSON parsers have it.
 */
export function spliceStreamUsage(body: Buffer): SplicedBody {
  const unchanged = { body, added: false };
  const start = skipSpace(body, 0);
  const root = scanMembers(body, start);
  if (!root || skipSpace(body, root.end) !== body.length) return unchanged;
  let stream: Member | undefined;
  let options: Member | undefined;
  for (const member of root.members) {
    if (member.key === 'stream') stream = member;
    if (member.key === 'stream_options') options = member;
  }
  if (!stream || body.toString('latin1', stream.start, stream.end) !== 'true') return unchanged;
  if (!options) return insert(body, start + 1, start + 1, '"stream_options":{"include_usage":true},');
  if (body.toString('latin1', options.start, options.end) === 'null') {
    return insert(body, options.start, options.end, '{"include_usage":true}');
  }
  const inside = scanMembers(body, options.start);
  if (!inside || inside.members.some((member) => member.key === 'include_usage')) return unchanged;
  const text = inside.members.length === 0 ? '"include_usage":true' : '"include_usage":true,';
  return insert(body, options.start + 1, options.start + 1, text);
}
