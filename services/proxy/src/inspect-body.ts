import type { Operation } from './providers/index.ts';
import { spliceStreamUsage } from './stream/index.ts';
import { scanMembers, skipSpace } from './stream/scan-members.ts';

/** A request body that was read, and what is sent on in its place. */
export interface InspectedBody {
  /** The model asked for, from the body or the path; null where neither names one. */
  requestedModel: string | null;
  /** The bytes as received, but for the `stream_options` that we may have put in. */
  toProvider: Buffer;
  /** We asked for a usage frame that the agent did not ask for, and take it out of the answer. */
  usageAsked: boolean;
  /** The text that the model is to read, for token estimates. Reads the body anew each time. */
  inputText(): string;
}

/**
 * A larger body is not parsed: JSON of many small values takes seconds, and twenty times its size in memory. Only its
 * short members are read, and all of its bytes count as text.
 */
const maxParsed = 1024 * 1024;
const maxShortMember = 4 * 1024;

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function parseShortMembers(bytes: Buffer): unknown {
  const short = scanMembers(bytes, skipSpace(bytes, 0))?.members.filter(
    ({ start, end }) => end - start < maxShortMember,
  );
  return short && Object.fromEntries(short.map(({ key, start, end }) => [key, parse(bytes.subarray(start, end))]));
}

/**
 * Reads what a request asks for. Bytes are put into the body where a stream would otherwise tell no usage; it is never
 * written anew. A body that is not JSON goes on as it is: the provider then says so in its own words. What was parsed is
 * not kept: the answer may take minutes.
 */
export function inspectBody(operation: Operation, bytes: Buffer, path: string): InspectedBody {
  const isLarge = bytes.length > maxParsed;
  const { requestedModel, stream } = operation.readRequest(isLarge ? parseShortMembers(bytes) : parse(bytes), path);
  const spliced = operation.usageNeedsAsking && stream ? spliceStreamUsage(bytes) : { body: bytes, added: false };
  return {
    requestedModel,
    toProvider: spliced.body,
    usageAsked: spliced.added,
    inputText: () => (isLarge ? bytes.toString('latin1') : operation.readRequest(parse(bytes), path).inputText()),
  };
}
