import { toFailure, toSilence } from './api-failure.ts';
import { consoleHeaders } from './read-half.ts';

/**
 * The bytes of an answer of the API, as they came. A link would not send the headers that the API asks for, so the answer is fetched and
 * then saved.
 *
 * @throws ApiFailure
 */
export async function fetchFile(path: `/api/v1/${string}`, accept = 'application/json'): Promise<Blob> {
  const call = `GET ${path}`;
  const response = await fetch(path, { headers: { ...consoleHeaders(), Accept: accept } }).catch(() => {
    throw toSilence(call);
  });
  if (!response.ok) throw toFailure(call, response, await response.json().catch(() => undefined));
  return await response.blob();
}

/** Has the browser save a file. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
