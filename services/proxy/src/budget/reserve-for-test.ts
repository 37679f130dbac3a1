import { inspectBody, matchOperation, type ProviderApi } from '@agp/metering';
import { createFindModelBounds, createPriceUsage, parsePriceFile } from '@agp/pricing';
import type { ProxyContext } from '../context.ts';
import type { Body, Head } from '../journey.ts';
import { loadProviders } from '../settings/load-providers.ts';
import { computeReservation } from './estimate-reservation.ts';

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
}

const providers = loadProviders(undefined, { PROVIDER_MISTRAL_URL: 'https://api.mistral.ai' });

const toBytes = (body: object | string | Buffer) =>
  Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

/**
 * Makes the function that says what a request reserves, in nano-dollars.
 *
 * @param entries as in `PRICES_FILE`
 */
export function makeReserve(budget: 'available' | 'strict', entries: object[] = []) {
  const file = parsePriceFile(JSON.stringify(entries));
  const config = { budget, budgetDefaultOutputTokens: 4_096, budgetUnpricedUsd: 0.01 };
  const context = {
    config,
    priceUsage: createPriceUsage({ file }),
    findModelBounds: createFindModelBounds({ file }),
  } as ProxyContext;
  return (request: ReservedRequest): number => {
    const { path, api = 'openai', body, contentType = 'application/json', isCapped = true } = request;
    const { contentEncoding = '', query = '', method = body === null ? 'GET' : 'POST' } = request;
    const provider = providers.get(request.provider ?? api);
    if (!provider) throw new Error(`no provider ${request.provider}`);
    const operation = matchOperation(api, method, path);
    const head = { method, provider, operation, hasBody: body !== null, timestamp: Date.UTC(2026, 10, 1) } as Head;
    const strictly = budget === 'strict' ? { contentEncoding, query } : null;
    const inspected =
      operation && body ? inspectBody(operation, provider, toBytes(body), path, contentType, strictly) : null;
    return computeReservation(context, head, { inspected } as Body, isCapped);
  };
}
