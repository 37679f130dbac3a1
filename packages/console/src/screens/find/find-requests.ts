import { callApi } from '../../api/call-api.ts';
import type { ListedEvent, Refusal } from '../../api/shapes.ts';

/** Of one id: callers may give many requests the same. */
const most = 20;

/** What the API takes as a request id. */
const requestIdPattern = /^[\x21-\x7e]{1,128}$/;

/** Events and refusals by any id of their request. */
export async function findRequests(
  id: string,
  signal: AbortSignal,
): Promise<{ events: ListedEvent[]; refusals: Refusal[] }> {
  const find = async (name: 'request_id' | 'provider_request_id') => {
    const query = { [name]: id, limit: most, expand: 'agent,outcome' as const };
    return (await callApi('get', '/api/v1/events', { params: { query }, signal })).data;
  };
  const isRequestId = requestIdPattern.test(id);
  const [own, ofProvider, refusals] = await Promise.all([
    isRequestId ? find('request_id') : [],
    find('provider_request_id'),
    isRequestId
      ? callApi('get', '/api/v1/refusals', { params: { query: { request_id: id, limit: most } }, signal }).then(
          ({ data }) => data,
        )
      : [],
  ]);
  const known = new Map([...own, ...ofProvider].map((event) => [event.id, event]));
  return { events: [...known.values()], refusals };
}
