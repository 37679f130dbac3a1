import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderApi } from '../../src/dialects/operation.ts';
import { readTierHeader } from '../../src/dialects/tier.ts';
import { makeHead, openMetering } from '../open-metering.ts';

/** A request that a test wants to know the reservation of. */
export interface ReservedRequest {
  path: string;
  /** OpenAI's if not given. */
  api?: ProviderApi;
  /** The provider's id, if it is not the API's own. */
  provider?: string;
  /** An object is sent as JSON; null is no body. */
  body: object | string | Buffer | null;
  contentType?: string;
  contentEncoding?: string;
  query?: string;
  method?: string;
  isCapped?: boolean;
  /** By their lower-case names. */
  headers?: IncomingHttpHeaders;
}

const toBytes = (body: object | string | Buffer) =>
  Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

/**
 * Makes the function that says what a request reserves, in nano-dollars.
 *
 * @param entries as in `PRICES_FILE`
 */
export function makeReserve(budget: 'available' | 'strict', entries: object[] = []) {
  const metering = openMetering({ isStrict: budget === 'strict' }, entries);
  return (request: ReservedRequest): number => {
    const { path, api = 'openai', body, contentType = 'application/json', isCapped = true } = request;
    const { contentEncoding = '', query = '', method = body === null ? 'GET' : 'POST' } = request;
    const { headers = {} } = request;
    const own = { headers, serviceTier: readTierHeader(headers) };
    const head = makeHead(request.provider ?? api, path, { method, query, hasBody: body !== null, ...own });
    const form = { contentType, contentEncoding };
    const caps = { isCapped, mayRefuse: isCapped };
    const { operation } = head;
    const inspected = operation && body ? metering.inspect(operation, head, toBytes(body), form, caps) : null;
    return metering.findReservation(head, inspected, caps);
  };
}
