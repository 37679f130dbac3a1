import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import { type Db, readUnrecorded } from '@agp/db';

/**
 * Answers for an event that is not recorded: of one that an agent was given the id of, it says what is known.
 *
 * @param eventId UUID
 * @throws ApiError `event_not_recorded`, or `event_not_found` for an id that nothing is known of
 */
export async function refuseUnrecorded(db: Db, eventId: string): Promise<never> {
  const request = await readUnrecorded(db, eventId);
  if (request === undefined) throw new ApiError('event_not_found');
  const what = request.reason === 'set_aside' ? 'event set aside' : 'event lost';
  const path = `/api/v1/costs/unrecorded/${toPublicId('evt', eventId)}`;
  throw new ApiError('event_not_recorded', `${what}: ${path} has what is known of its request`);
}
