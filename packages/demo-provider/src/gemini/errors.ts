import type { ProviderFault } from '../provider-fault.ts';
import { dataFrame } from '../wire/wire-answer.ts';

const statuses: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  504: 'DEADLINE_EXCEEDED',
};

/** Gemini's body of an error. */
export function toErrorBody({ status, message }: Pick<ProviderFault, 'status' | 'message'>) {
  const name = statuses[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE');
  return { error: { code: status, message, status: name } };
}

/** How a stream says that it goes no further. */
export const errorFrame = dataFrame(toErrorBody({ status: 503, message: 'The stream breaks off, as was asked.' }));
