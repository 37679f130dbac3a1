import type { Event, Session } from '@agp/core/contracts';

async function get(url: string, apiKey: string): Promise<Response> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status} ${await response.text()}`);
  return response;
}

/** The ids of all events, by the management API. */
export async function readEventIds(url: string, apiKey: string): Promise<string[]> {
  const ids: string[] = [];
  let next: string | undefined = '/api/v1/events?limit=1000';
  while (next !== undefined) {
    const response: Response = await get(`${url}${next}`, apiKey);
    ids.push(...((await response.json()) as Event[]).map(({ id }) => id));
    next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return ids;
}

/** @returns the sessions whose chain is not whole */
export async function verifySessions(url: string, apiKey: string): Promise<string[]> {
  const sessions = (await (await get(`${url}/api/v1/sessions`, apiKey)).json()) as Session[];
  const broken: string[] = [];
  for (const { id } of sessions) {
    const { valid } = (await (await get(`${url}/api/v1/lineage/${id}/verify`, apiKey)).json()) as { valid: boolean };
    if (!valid) broken.push(id);
  }
  return broken;
}
