import { errorBodySchema } from '@agp/core/contracts';
import type { ErrorCode } from '@agp/core/errors';
import { parseJson } from '@agp/core/json';
import { toLineText } from '@agp/core/text';
import { ApiFailure } from './cli-error.ts';

/** Advice for errors of the API, by their code. */
const hints: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: 'set AGP_API_KEY, or name a file that holds a key with --key-file',
  agent_not_found: '"agents list" shows all agents',
  event_not_found: '"events list" shows the events, and "why" finds one by its request id',
  session_not_found: '"sessions list" shows the sessions',
  key_not_found: '"keys list" shows all keys',
  agent_token_not_found: '"tokens list" shows all tokens',
  missing_scope: 'use a key that has it, which "keys create" makes',
  claimed_name_not_found: '"names list" shows all claimed names',
};

function findHint(status: number, code: string | null): string {
  const known = code !== null && Object.hasOwn(hints, code) ? hints[code as ErrorCode] : undefined;
  if (known !== undefined) return `; ${known}`;
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
      : toLineText(error) + findHint(status, headers.get('x-error-code'));
  const retryAfter = headers.get('retry-after');
  return new ApiFailure(message, status, retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null);
}
