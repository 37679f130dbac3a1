import { toEventText } from '@agp/core/events';
import type { ForwardedRequest } from '@agp/reservations';
import type { AdmittedRequest } from '../journey.ts';

/** What is told of a request that ends without an event, because this process does. */
export function describeForwarded({ head, sessionId, body }: AdmittedRequest): ForwardedRequest {
  const model = body.inspected?.requestedModel;
  return {
    sessionId,
    provider: head.provider.id,
    model: model ? toEventText(model, 256) : null,
  };
}
