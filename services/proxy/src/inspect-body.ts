import type { Operation, RequestReading } from './providers/index.ts';
import { spliceStreamUsage } from './stream/index.ts';

/** A request body that was read, and what is sent on in its place. */
export interface InspectedBody {
  /** Null where the body is not JSON; the provider then says so in its own words. */
  reading: RequestReading | null;
  /** The bytes as received, but for the `stream_options` that we may have put in. */
  toProvider: Buffer;
  /** We asked for a usage frame that the agent did not ask for, and take it out of the answer. */
  usageAsked: boolean;
}

/** Reads what a request asks for. Bytes are put into the body where a stream would otherwise tell no usage; it is never written anew. */
export function inspectBody(operation: Operation, bytes: Buffer, path: string): InspectedBody {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { reading: null, toProvider: bytes, usageAsked: false };
  }
  const reading = operation.readRequest(parsed, path);
  if (!operation.usageNeedsAsking || !reading.stream) return { reading, toProvider: bytes, usageAsked: false };
  const { body, added } = spliceStreamUsage(bytes);
  return { reading, toProvider: body, usageAsked: added };
}
