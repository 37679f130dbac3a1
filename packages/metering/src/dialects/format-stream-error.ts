import type { Operation, ProviderApi } from './operation.ts';

/** The error that ends a stream in place of its rest. */
interface StreamFailure {
  /** A stable code. */
  code: string;
  message: string;
  /** The status that the request would have been refused with. */
  status: number;
}

/**
 * The bytes that end a running stream with an error which the provider's own SDK raises.
 * They first close a frame that was sent in part.
 *
 * @param asArray the stream is a JSON array of frames rather than SSE
 */
export function formatStreamError(
  api: ProviderApi,
  operation: Operation | null,
  asArray: boolean,
  failure: StreamFailure,
): string {
  if (api === 'gemini') return formatGemini(asArray, failure);
  const data = api === 'anthropic' ? formatAnthropic(failure) : formatOpenai(operation, failure);
  return `\n\nevent: error\ndata: ${JSON.stringify(data)}\n\n`;
}

function formatOpenai(operation: Operation | null, { code, message }: StreamFailure): object {
  const error = { message, type: code, param: null, code };
  // SDKs look for `error` in any frame; the Responses API has an event of its own as well.
  return operation?.name === 'responses' ? { type: 'error', code, message, param: null, error } : { error };
}

function formatAnthropic({ message, status }: StreamFailure): object {
  return { type: 'error', error: { type: status === 403 ? 'permission_error' : 'overloaded_error', message } };
}

/**
 * The same error twice: as an SSE frame, which `@google/genai` 3 and other clients raise, and as JSON of its own behind it, since
 * `@google/genai` 1 takes the frame for an empty piece of the answer and a stream that then ends for a whole one.
 */
function formatGemini(asArray: boolean, { message, status }: StreamFailure): string {
  const error = { code: status, message, status: status === 403 ? 'PERMISSION_DENIED' : 'UNAVAILABLE' };
  const json = JSON.stringify({ error });
  return asArray ? `,\n${json}]` : `\n\ndata: ${json}\n\n${json}`;
}
