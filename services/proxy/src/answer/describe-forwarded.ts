import { toEventText } from '@agp/core/events';
import type { ForwardedRequest } from '@agp/reservations';
import type { AdmittedRequest } from '../journey.ts';

/** Describes a request in its reservation, in case this process ends before it has recorded the event. */
export function describeForwarded({ head, sessionId, body }: AdmittedRequest): ForwardedRequest {
  const model = body.inspected?.requestedModel;
  return {
    sessionId,
    provider: head.provider.id,
    model: model ? toEventText(model, 256) : null,
  };
}
