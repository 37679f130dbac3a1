import { errorBodySchema } from '@agp/core/contracts';
import { parseJson } from '@agp/core/json';
import { toLineText } from '@agp/core/text';
import { ApiFailure } from './cli-error.ts';

/** Advice for errors of the API, by their text. */
const hints: Record<string, string> = {
  'missing or invalid API key': 'set AGP_API_KEY, or name a file that holds a key with --key-file',
  'agent not found': '"agents list" shows all agents',
  'event not found': '"events list" shows the events, and "why" finds one by its request id',
  'session not found': '"sessions list" shows the sessions',
  'key not found': '"keys list" shows all keys',
  'agent token not found': '"tokens list" shows all tokens',
  'claimed name not found': '"names list" shows all claimed names',
};

function findHint(status: number, error: string): string {
  const known = hints[error];
  if (known !== undefined) return `; ${known}`;
  if (status === 403) return '; use a key that has it, which "keys create" makes';
  return status === 429 || status >= 500 ? '; try again in a moment' : '';
}

function readError(text: string): string | null {
  try {
    return errorBodySchema.safeParse(parseJson(text)).data?.error ?? null;
  } catch {
    return null;
  }
}

/**
 * Turns an error answer into a message for the user.
 *
 * @param call method and address, for an answer that did not come from this API
 */
export async function readFailure(response: Response, call: string): Promise<ApiFailure> {
  const { status, headers } = response;
  const error = readError(await response.text().catch(() => ''));
  const message =
    error === null
      ? `${call} answered ${status}, without an error of this API: is it the address of the management API?`
      : toLineText(error) + findHint(status, error);
  const retryAfter = headers.get('retry-after');
  return new ApiFailure(message, status, retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null);
}
