import type { Operation, ProviderApi } from './operation.ts';

interface StreamFailure {
  code: string;
  message: string;
  /** The status that the request would have been refused with. */
  status: number;
}

/** The bytes that end a running stream with an error which the provider's own SDK raises; they close a frame that was cut. */
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
 * The error twice: as a frame for `@google/genai` 3 and others, and as JSON behind it, since version 1 takes the frame for an
 * empty piece and the stream for a whole one.
 */
function formatGemini(asArray: boolean, { message, status }: StreamFailure): string {
  const error = { code: status, message, status: status === 403 ? 'PERMISSION_DENIED' : 'UNAVAILABLE' };
  const json = JSON.stringify({ error });
  return asArray ? `,\n${json}]` : `\n\ndata: ${json}\n\n${json}`;
}
