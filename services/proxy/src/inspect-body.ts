import type { Usage } from '@agp/core/pricing';
import type { Provider } from './load-providers.ts';
import { parseRequestBody } from './parse-request-body.ts';
import type { Operation } from './providers/index.ts';
import { spliceStreamUsage } from './stream/index.ts';

/** A request body that was read, and what is sent on in its place. */
export interface InspectedBody {
  /** The model asked for, from the body or the path; null where neither names one. */
  requestedModel: string | null;
  /** Whether a streamed answer is asked for. */
  stream: boolean;
  /** The caller's bound on the output, in tokens; null where it gave none. */
  maxOutputTokens: number | null;
  /** How many answers it asks for, each as long as that. */
  answers: number;
  /** What the request alone tells of what will be billed. */
  toldUsage: Partial<Usage>;
  /** As received. */
  bytes: Buffer;
  contentType: string;
  /** The same, but for the `stream_options` that we may have put in. */
  toProvider: Buffer;
  /** We asked for a usage frame that the agent did not ask for, and take it out of the answer. */
  usageAsked: boolean;
}

/**
 * Reads what a request asks for. Bytes are put into the body where a stream would otherwise tell no usage; it is never
 * written anew. A body that is not JSON goes on as it is: the provider then says so in its own words. What was parsed is
 * not kept: the answer may take minutes.
 *
 * @param contentType as the agent declares it
 */
export function inspectBody(
  operation: Operation,
  { asksForUsage }: Provider,
  bytes: Buffer,
  path: string,
  contentType: string,
): InspectedBody {
  const {
    requestedModel,
    stream,
    maxOutputTokens,
    answers = 1,
    toldUsage,
  } = operation.readRequest(parseRequestBody(bytes, contentType, 'outline'), path);
  const asks = operation.usageNeedsAsking && asksForUsage && stream;
  const spliced = asks ? spliceStreamUsage(bytes) : { body: bytes, added: false };
  return {
    requestedModel,
    stream,
    maxOutputTokens,
    answers,
    toldUsage,
    bytes,
    contentType,
    toProvider: spliced.body,
    usageAsked: spliced.added,
  };
}
