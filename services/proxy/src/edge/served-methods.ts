import { ApiError } from '@agp/core/errors';

/** The methods of providers' APIs. Not TRACE, whose answer repeats the request's headers, and not CONNECT, which asks for a tunnel. */
const served = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];
const isServed = new Set(served);

/** @throws ApiError `method_not_allowed` */
export function assureServedMethod(method: string): void {
  if (!isServed.has(method)) throw new ApiError('method_not_allowed', { headers: { Allow: served.join(', ') } });
}
