import type { Event, Session } from '@agp/core/contracts';

async function get(url: string, apiKey: string): Promise<Response> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status} ${await response.text()}`);
  return response;
}

/** All of a list of the management API, page by page. */
export async function readAll<Item>(url: string, path: string, apiKey: string): Promise<Item[]> {
  const items: Item[] = [];
  let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}limit=1000`;
  while (next !== undefined) {
    const response: Response = await get(`${url}${next}`, apiKey);
    items.push(...((await response.json()) as Item[]));
    next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return items;
}

export const readEventIds = async (url: string, apiKey: string): Promise<string[]> =>
  (await readAll<Event>(url, '/api/v1/events', apiKey)).map(({ id }) => id);

/** @returns the sessions whose chain is not whole */
export async function verifySessions(url: string, apiKey: string): Promise<string[]> {
  const sessions = await readAll<Session>(url, '/api/v1/sessions', apiKey);
  const broken: string[] = [];
  for (const { id } of sessions) {
    const { valid } = (await (await get(`${url}/api/v1/lineage/${id}/verify`, apiKey)).json()) as { valid: boolean };
    if (!valid) broken.push(id);
  }
  return broken;
}

/** How many sessions have payloads of two versions: of a release that made the first, and of one that makes the second. */
export async function countMixedChains(url: string, apiKey: string): Promise<number> {
  const sessions = await readAll<Session>(url, '/api/v1/sessions', apiKey);
  let mixed = 0;
  for (const { id } of sessions) {
    const { entries } = (await (await get(`${url}/api/v1/lineage/${id}`, apiKey)).json()) as {
      entries: { payload: string }[];
    };
    const versions = new Set(entries.map(({ payload }) => (JSON.parse(payload) as { v: number }).v));
    if (versions.size > 1) mixed += 1;
  }
  return mixed;
}
