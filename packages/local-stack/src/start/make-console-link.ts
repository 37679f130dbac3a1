import { parseJson } from '@agp/core/json';
import { toLineText } from '@agp/core/text';
import { z } from 'zod';

const answerSchema = z.object({ path: z.string().startsWith('/').max(200) });
const timeoutMs = 10_000;

/** An address that listens everywhere is reached on this machine under its own. */
export const toReachable = (url: string) => url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/, '//127.0.0.1');

/** Asks management for a link that signs a browser in once. */
export async function makeConsoleLink(managementUrl: string, key: string): Promise<string> {
  const url = toReachable(managementUrl);
  try {
    const answer = await fetch(`${url}/api/v1/console/links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { path } = answerSchema.parse(parseJson(await answer.text()));
    return `${url}${toLineText(path, 200)}`;
  } catch {
    return url;
  }
}
