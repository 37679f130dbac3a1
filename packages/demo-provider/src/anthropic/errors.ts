import type { ProviderFault } from '../provider-fault.ts';
import { eventFrame } from '../wire/wire-answer.ts';

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Anthropic's body of an error. */
export function toErrorBody({ status, message }: ProviderFault, requestId: string) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message }, request_id: requestId };
}

/** How a stream says that it goes no further. */
export const errorFrame = eventFrame({
  type: 'error',
  error: { type: 'overloaded_error', message: 'The stream breaks off, as was asked.' },
});
