/**
 * Headers and query parameters from which frameworks and Google's servers take the method. The provider would then serve another
 * request than the one checked here.
 */
const methodOverride =
  /^(?:x-(?:http-)?method(?:-override)?|x-original-method|x-rewrite-method|\$?httpmethod|[_.[ ]method(?:\[\])?)$/i;

/** Headers from which some servers take the path or the host instead. `X-Forwarded-*` is never forwarded anyway. */
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

/** True if a header or parameter of this name can change the method that a server sees. */
export const isMethodOverride = (name: string): boolean => methodOverride.test(name);

/** True if a header of this lower-case name can change the path or host that a server sees. */
export const isRerouting = (name: string): boolean => rerouting.has(name);
