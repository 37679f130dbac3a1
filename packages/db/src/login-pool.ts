import type { LoginUrls } from '@agp/core/login-urls';
import pg from 'pg';

type Connected = NonNullable<Parameters<pg.Pool['connect']>[0]>;

/** No password of the role, or no such role (PostgreSQL manual, appendix A). */
const isRefusedLogin = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '28P01' || error.code === '28000');

/** Each new connection chooses its login; one that is refused is tried with the next before its caller hears of it. */
export class LoginPool extends pg.Pool {
  // No private names: a wrapper of the pool has them not.
  private readonly logins: LoginUrls;
  private readonly refused: WeakMap<Error, string>;

  constructor(options: pg.PoolConfig, logins: LoginUrls) {
    const refused = new WeakMap<Error, string>();
    class Client extends pg.Client {
      readonly #url: string;

      constructor(given: pg.ClientConfig) {
        const url = logins.choose();
        super({ ...given, ...withOptions(url, given.options) });
        this.#url = url;
      }

      override connect(): Promise<pg.Client>;
      override connect(callback: (error: Error) => void): void;
      override connect(callback?: (error: Error) => void): unknown {
        if (callback === undefined) return super.connect();
        return super.connect((error: Error) => {
          if (isRefusedLogin(error)) {
            refused.set(error, this.#url);
            logins.refuse(this.#url);
          }
          callback(error);
        });
      }
    }
    super({ ...options, Client: Client as unknown as new () => pg.Client });
    this.logins = logins;
    this.refused = refused;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): unknown {
    if (callback !== undefined) return this.connectTrying(callback, new Set());
    return new Promise<pg.PoolClient>((resolve, reject) =>
      this.connectTrying((error, client) => (client ? resolve(client) : reject(error)), new Set()),
    );
  }

  private connectTrying(callback: Connected, tried: Set<string>): void {
    super.connect((error, client, release) => {
      const url = error && this.refused.get(error);
      if (url !== undefined && !tried.add(url).has(this.logins.choose())) this.connectTrying(callback, tried);
      else callback(error, client, release);
    });
  }
}

/** What a URL says of them would stand in place of ours. */
function withOptions(url: string, own = ''): { connectionString: string; options: string } {
  const [address = '', parameters] = url.split('?');
  const query = new URLSearchParams(parameters);
  const asked = query.get('options');
  if (asked === null) return { connectionString: url, options: own };
  query.delete('options');
  return { connectionString: `${address}?${query}`, options: `${asked} ${own}` };
}
