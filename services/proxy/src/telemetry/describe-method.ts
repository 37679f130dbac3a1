import type { Attributes } from '@agp/runtime';

/** RFC 9110 and RFC 5789: the methods that OpenTelemetry's conventions for HTTP know. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

/** What a span's name begins with, and its attributes, by those conventions: any other method is one word in both. */
export function describeMethod(method: string): { name: string; attributes: Attributes } {
  if (knownMethods.has(method)) return { name: method, attributes: { 'http.request.method': method } };
  return { name: 'HTTP', attributes: { 'http.request.method': '_OTHER', 'http.request.method_original': method } };
}
