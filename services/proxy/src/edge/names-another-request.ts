/**
 * Headers and query parameters from which frameworks and Google's servers take the method. The provider would then serve another
 * request than the one checked here.
 */
const methodOverride =
  /^(?:x-(?:http-)?method(?:-override)?|x-original-method|x-rewrite-method|\$?httpmethod|[_.[ ]method(?:\[\])?)$/i;

/** Headers from which servers take the path or the host. `X-Forwarded-*` is never forwarded anyway. */
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
