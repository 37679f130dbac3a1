/**
 * Headers, and parameters of the query, that frameworks and Google's servers take the method from. It would be another than the
 * one that was looked at here.
 */
const methodOverride =
  /^(?:x-(?:http-)?method(?:-override)?|x-original-method|x-rewrite-method|\$?httpmethod|[_.[ ]method(?:\[\])?)$/i;

/** Headers that servers take the path or the host from, in place of the request line's. `X-Forwarded-*` never goes on anyway. */
const rerouting = new Set([
  'x-original-url',
  'x-original-uri',
  'x-original-path',
  'x-original-host',
  'x-rewrite-url',
  'x-rewrite-uri',
  'x-override-url',
  'x-request-uri',
  'x-envoy-original-path',
  'x-envoy-original-method',
  'x-envoy-original-host',
  'x-host',
  'x-http-host-override',
]);

/** Whether a header or a parameter, by its name, makes a server take the request for one of another method. */
export const isMethodOverride = (name: string): boolean => methodOverride.test(name);

/** Whether a header, by its lower-case name, makes a server take the request for one of another path or host. */
export const isRerouting = (name: string): boolean => rerouting.has(name);
