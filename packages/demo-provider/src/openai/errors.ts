import type { ProviderFault } from '../provider-fault.ts';
import { dataFrame } from '../wire/wire-answer.ts';

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** OpenAI's body of an error. */
export function toErrorBody({ status, message, param }: ProviderFault) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { error: { message, type, param, code: status === 429 ? 'rate_limit_exceeded' : null } };
}

/** How a stream of chat completions or responses says that it goes no further. */
export const errorFrame = dataFrame({
  type: 'error',
  error: { message: 'The stream breaks off, as was asked.', type: 'server_error', param: null, code: 'server_error' },
});
