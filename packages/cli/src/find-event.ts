import {
  type EventDetail,
  eventDetailSchema,
  type UnrecordedRequest,
  unrecordedRequestSchema,
} from '@agp/core/contracts';
import { ApiFailure } from './cli-error.ts';
import type { Answer, Api } from './connect-api.ts';

/** An event, or what is known of a request whose event is lost. */
export type FoundEvent =
  | { event: Answer<EventDetail>; unrecorded: null }
  | { event: null; unrecorded: Answer<UnrecordedRequest> };

const ifFound = (error: unknown): null => {
  if (error instanceof ApiFailure && error.status === 404) return null;
  throw error;
};

/** @throws ApiFailure where nothing has this id */
export async function findEvent(api: Api, id: string): Promise<FoundEvent> {
  const path = encodeURIComponent(id);
  let failure: unknown;
  const event = await api.get(`/api/v1/events/${path}/detail`, eventDetailSchema).catch((error) => {
    failure = error;
    return ifFound(error);
  });
  if (event !== null) return { event, unrecorded: null };
  const unrecorded = await api.get(`/api/v1/costs/unrecorded/${path}`, unrecordedRequestSchema).catch(ifFound);
  if (unrecorded === null) throw failure;
  return { event: null, unrecorded };
}
