/** The address and credentials of NATS, as the client library takes them. */
export interface BusAddress {
  /** `host:port` of each server. */
  servers: string[];
  /** The first one's host. */
  host: string;
  user: string | undefined;
  pass: string | undefined;
  tls: boolean;
}

/** The URL cannot be used. The message never quotes it: it holds a password. */
export class BusUrlError extends Error {
  readonly code = 'invalid_bus_url';
}

/**
 * Parses the URL, since the client library ignores the user and password in one.
 *
 * @param text `nats://user:password@host:port`, or `tls://` if the server must use TLS. Several servers of a cluster are separated by
 *   commas, and only the first needs more than `host:port`. Characters with a meaning in URLs are percent-encoded in names and
 *   passwords.
 * @throws BusUrlError
 */
export function readBusUrl(text: string): BusAddress {
  const urls = text.split(',').map((part) => parse(part.trim()));
  const [first] = urls;
  if (first === undefined || urls.some(({ protocol }) => !isScheme(protocol)))
    throw new BusUrlError('the NATS URL must begin with nats:// or tls://');
  if (urls.some(({ hostname }) => hostname === '')) throw new BusUrlError('the NATS URL names no host');
  if (
    urls.some(
      ({ username, password }) => username !== '' && (username !== first.username || password !== first.password),
    )
  )
    throw new BusUrlError('the NATS URL has different users for the servers of one cluster');
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    host: first.hostname.replace(/^\[|\]$/g, ''),
    user: first.username === '' ? undefined : decodeURIComponent(first.username),
    pass: first.username === '' ? undefined : decodeURIComponent(first.password),
    tls: urls.some(({ protocol }) => protocol === 'tls:'),
  };
}

const isScheme = (protocol: string) => protocol === 'nats:' || protocol === 'tls:';

function parse(part: string): URL {
  const url = URL.parse(part.includes('://') ? part : `nats://${part}`);
  if (url === null)
    throw new BusUrlError(
      'the NATS URL is not valid; characters with a meaning in URLs must be percent-encoded in passwords',
    );
  return url;
}
