import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Exchange } from '../exchange.ts';
import type { Provider } from '../settings/provider.ts';

const firstOf = (values: string | string[] | undefined) =>
  String(values ?? '')
    .split(',', 1)[0]
    ?.trim() ?? '';

/** Forwarding headers are believed from anybody: the answer goes back to who sent them. */
function readOrigin({ headers, socket }: IncomingMessage): string {
  const told = firstOf(headers['x-forwarded-proto']).toLowerCase();
  const scheme = /^https?$/.test(told) ? told : (socket as TLSSocket).encrypted ? 'https' : 'http';
  const hosts = [firstOf(headers['x-forwarded-host']), headers.host ?? ''];
  const host = hosts.find((each) => /^[\w.~-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(each));
  return `${scheme}://${host ?? `localhost:${socket.localPort}`}`;
}

/** The address that the caller used for the provider's root. */
export function readCallersBase({ request, target }: Pick<Exchange, 'request' | 'target'>): string {
  const segments = target.split('?', 1)[0]?.split('/') ?? [];
  return readOrigin(request) + segments.slice(0, segments[1] === 'agents' ? 4 : 2).join('/');
}

/** Leads to the proxy what leads to the provider's own address; any other value stays. */
export function rewriteLinkHeader({ baseUrl, basePath }: Provider, base: string, value: string): string {
  const url = URL.parse(value);
  if (url?.origin !== baseUrl.origin || !`${url.pathname}/`.startsWith(`${basePath}/`)) return value;
  return base + url.pathname.slice(basePath.length) + url.search + url.hash;
}

/** A longer text is no link. */
const linkLength = 2_048;

/** A slash, plain or as some serializers escape it. */
const slash = String.raw`\\?\/`;
const origin = String.raw`"https?:(?:${slash}){2}[^"\\/\s]{1,255}(?:${slash}[^"\\/\s]{1,64}){0,6}?`;

/** A text that may yet become a link. */
const mayBecomeLink = /^"(?:h(?:t(?:t(?:p[^"]*)?)?)?)?$/;

/** Puts `base` in place of whatever stands before `paths` in links of JSON; every other byte stays. */
export class LinkRewriter {
  readonly #pattern: RegExp;
  readonly #base: string;
  #held = '';

  constructor(paths: readonly RegExp[], base: string) {
    const sources = paths.map(({ source }) => source.replaceAll('\\/', slash));
    this.#pattern = new RegExp(`${origin}(?=${sources.join('|')})`, 'g');
    this.#base = `"${base}`;
  }

  push(chunk: Buffer): Buffer {
    const text = this.#held + chunk.toString('latin1');
    const quote = text.lastIndexOf('"');
    const holds = quote >= 0 && text.length - quote <= linkLength && mayBecomeLink.test(text.slice(quote));
    const end = holds ? quote : text.length;
    this.#held = text.slice(end);
    return this.#rewrite(text.slice(0, end));
  }

  end(): Buffer {
    return this.#rewrite(this.#held);
  }

  #rewrite(text: string): Buffer {
    return Buffer.from(
      text.replace(this.#pattern, () => this.#base),
      'latin1',
    );
  }
}
