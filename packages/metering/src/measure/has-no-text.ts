import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerEnd } from '../call.ts';
import type { CallHead } from '../call-head.ts';

/** Lists of models, and the description of one: the provider's own words. */
const models = /\/models(?:\/[^/:]+){0,3}\/?$/;
const media = /^(?:image|audio|video|font)\//i;

/**
 * Whether neither the agent nor a model can have written any of a call whose operation we do not know: the request has no body,
 * and the answer is a refusal, a list of models, a file that is no text, or empty.
 *
 * @param answerHeaders null where no answer came
 */
export function hasNoText(
  { hasBody, method, path }: CallHead,
  { status }: AnswerEnd,
  answerHeaders: IncomingHttpHeaders | null,
): boolean {
  if (hasBody) return false;
  if (status === null || status === 204 || status >= 300 || method === 'HEAD') return true;
  if (answerHeaders?.['content-length'] === '0' || media.test(answerHeaders?.['content-type'] ?? '')) return true;
  return method === 'GET' && models.test(path);
}
