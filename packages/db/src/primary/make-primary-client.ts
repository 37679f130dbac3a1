import pg from 'pg';
import { askRole } from './ask-role.ts';
import type { DatabaseServer, PrimaryFinder } from './primary-finder.ts';

type OnConnect = (error: Error | null | undefined, client?: pg.Client) => void;

/** pg's client keeps these; its types do not say so. */
interface Inner {
  host: string;
  port: number;
  connection: { stream: { destroy(error: Error): void } };
}

/**
 * A class of clients for a pool whose connections all lead to the primary: each asks the finder for the server, and the server for its
 * role, before the pool gets it. A standby is refused even where it is the only server, as behind a name that follows the primary: what
 * it says of an agent may be old.
 */
export function makePrimaryClient(finder: PrimaryFinder): typeof pg.Client {
  return class PrimaryClient extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: OnConnect): void;
    override connect(callback?: OnConnect): Promise<pg.Client> | undefined {
      const connecting = this.#connect();
      if (callback === undefined) return connecting;
      connecting.then(
        () => callback(null, this),
        (error: Error) => callback(error),
      );
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      // The pool listens only once it has the connection; one that breaks before rejects too.
      this.on('error', () => {});
      const server = await finder.find();
      try {
        // The only server may have its host elsewhere in the URL.
        if (!finder.isOnly) Object.assign(this as unknown as Inner, { host: server.host, port: server.port });
        await new Promise<void>((resolve, reject) => {
          super.connect((error: Error | null | undefined) => (error ? reject(error) : resolve()));
        });
        await this.#prove(server);
        return this;
      } catch (error) {
        finder.lose(server);
        void this.end().catch(() => {});
        throw error;
      }
    }

    async #prove(server: DatabaseServer): Promise<void> {
      const role = await askRole(this, finder.isOnly);
      finder.check(server, role);
      const { connection } = this as unknown as Inner;
      const cut = (reason: Error) => connection.stream.destroy(reason);
      this.once('end', finder.guard({ server, timeline: role.timeline ?? 0, cut }));
    }
  };
}
