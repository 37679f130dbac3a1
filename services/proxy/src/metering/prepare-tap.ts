import type { IncomingHttpHeaders } from 'node:http';
import { createResponseTap, openMemoryShare, type ResponseTap } from '@agp/metering';
import type { ProxyContext } from '../context.ts';
import { toHolder } from '../head/to-holder.ts';
import type { AdmittedRequest } from '../journey.ts';
import { BillCalls } from './bill-calls.ts';

/** Opens the tap beside an answer; null where nothing is read. */
export type OpenTap = (headers: IncomingHttpHeaders) => ResponseTap | null;

/** How the answer to a request will be read, and what the calls of a file of results are added up in. */
export function prepareTap(
  context: ProxyContext,
  request: AdmittedRequest,
): { openTap: OpenTap; reported: BillCalls | null } {
  const { operation } = request.head;
  if (!operation) return { openTap: () => null, reported: null };
  // Only batches have their results in a file, and so their price.
  const options = { models: [], serviceTier: 'batch' };
  const reported = operation.answerFormat === 'lines' ? new BillCalls(context, request, operation, options) : null;
  const openTap: OpenTap = (headers) =>
    createResponseTap(operation, headers, {
      memory: openMemoryShare(context.inspection, toHolder(request.agent, request.head)),
      ...(reported && { onCall: reported.add }),
    });
  return { openTap, reported };
}
